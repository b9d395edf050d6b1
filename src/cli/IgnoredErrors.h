// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/Finding.h"
#include "check/Serial.h"

#include <filesystem>
#include <vector>

namespace heddle::cli {

/// Calls of the CUDA runtime that failed in a program that ended well, never asked for the error, and takes
/// no notice of what the call returns anywhere: `cudaMalloc(&p, n);` as a statement of its own.
std::vector<check::Finding> ignoredErrors(const check::CheckResult &result,
                                          const std::vector<std::filesystem::path> &files);

/// Gives findings about failed launches the location of the launch: the kernel's launches in the files, as far as
/// these have any. A run does not show which of several failed: then the first has notes about the others.
void locateFailedLaunches(std::vector<check::Finding> &findings,
                          const std::vector<std::filesystem::path> &files);

} // namespace heddle::cli
