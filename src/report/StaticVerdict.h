// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Static.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace heddle::report {

/// What the static check said of one kernel.
struct KernelVerdict {
  std::string kernel; ///< as a person calls it
  check::StaticResult result;
};

/// For people: findings and what is outside, each opening with its class, then one line with the verdict:
///     holds: kernel 'tile': no deadlock, no race, barriers recycled safely, for every input (14 barriers)
std::string staticText(const KernelVerdict &verdict, bool colour);

/// The same facts for programs: findingsJson with "mode", "verdict" and "kernels" beside the findings.
/// docs/check.md describes it.
nlohmann::ordered_json staticJson(const std::vector<KernelVerdict> &verdicts);

/// Fails where one fails, else outside where one is, else holds.
check::Verdict together(const std::vector<KernelVerdict> &verdicts);

/// Fills in the source lines of findings and reasons.
void addSourceLines(check::StaticResult &result);

} // namespace heddle::report
