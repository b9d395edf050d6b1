// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of one program under the checker, each with another order of warps, and what differs between them.
#pragma once

#include "build/Program.h"
#include "check/Finding.h"
#include "check/Serial.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace heddle::cli {

/// What one run of the program left behind.
struct CheckedRun {
  unsigned schedule = 0; ///< HEDDLE_SCHEDULE; 0: the usual order
  build::ProgramRun program;
  check::CheckResult result;
  std::filesystem::path copies;
  bool hasResult = false;

  /// Whether the program came to its end.
  bool isWhole() const { return hasResult && result.complete; }
  /// Whether all that the program does was executed, and it did not fail by itself.
  bool endedWell() const { return isWhole() && !result.counts.stopped && !program.execution.exitCode; }
};

/// Runs the program again with the order of warps of an earlier run.
using RunAgain = std::function<CheckedRun(const CheckedRun &)>;

/// The first difference between two orders of warps, as a finding: in the copies to the host, in stdout, compared as by `heddle verify`, or in the
/// exit code. A launch that the time limit stopped may only be slow: such runs are not compared.
std::optional<check::Finding> scheduleDifference(const CheckedRun &first, const CheckedRun &other,
                                                 const RunAgain &runAgain,
                                                 const std::filesystem::path &source);

/// Lines about a run that was stopped or ended early; empty where it ran to its end.
std::string incompleteText(const CheckedRun &run);

} // namespace heddle::cli
