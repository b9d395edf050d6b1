// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Finding.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heddle::check::test {

/// What the head of a kernel's file says must be found.
///
///     // expect: race/shared at 8 and 9            one finding, whose locations are on these lines
///     // expect: clean                             nothing
///     // expect: race/shared at 8, warp/lockstep   two findings, the second anywhere
///     // expect: race/shared at 8 or async/early   reported in either way, or in both
///     // also: deadlock/barrier                    what follows from it and may be reported as well
///     // hint: use atomicAdd()                     words of the hint of the findings that are expected
///     // check: --timeout 20                       for the command line
///     // static: --block 64                        the same expectation without running it
struct Expectation {
  struct Report {
    std::string rule;
    std::vector<unsigned> lines;
  };
  using AnyOf = std::vector<Report>;

  std::vector<AnyOf> expected; ///< empty: clean
  std::vector<Report> also;
  std::string hint;
  std::vector<std::string> options;
  std::optional<std::vector<std::string>> staticOptions;
};

/// Throws std::runtime_error where the head cannot be read: a case without a verdict is no case.
Expectation readExpectation(const std::filesystem::path &file);
Expectation parseExpectation(const std::vector<std::string> &head);

/// What is wrong with these findings, in words; empty where they are as they should be.
std::string disagreement(const Expectation &expectation, const std::vector<Finding> &findings);

} // namespace heddle::check::test
