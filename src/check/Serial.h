// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Checker.h"

#include <cstdint>
#include <filesystem>

namespace heddle::check {

/// What a program that ran under the checker left behind for the process that started it.
struct CheckResult {
  /// A call of the CUDA runtime that failed, and that the program did not ask about afterwards.
  struct FailedCall {
    std::string function; ///< "cudaMalloc"
    std::string error;    ///< "cudaErrorMemoryAllocation"
    std::string why;      ///< what is wrong with its arguments; empty where that is not known
    uint64_t times = 1;
  };
  /// A launch that failed, and whose error the program queried: it need not have printed why.
  struct QueriedLaunch {
    std::string text; ///< "launch of 'fill' with grid ... failed with cudaErrorInvalidValue"
    std::string hint;
  };
  std::vector<Finding> findings;
  std::vector<FailedCall> failedCalls;
  CheckCounts counts;
  bool complete = false; ///< false: the program ended before the runtime could say that it did
  std::vector<QueriedLaunch> queriedLaunches;
};

/// Rewrites the file, all or nothing: the program may end at any time.
bool writeResult(const std::filesystem::path &file, const CheckResult &result);
/// False where there is no such file, or it is something else.
bool readResult(const std::filesystem::path &file, CheckResult &result);

} // namespace heddle::check
