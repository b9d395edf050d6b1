// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::build {

/// What a program left behind that ran with our terminal.
struct Execution {
  int exitCode = -1;  ///< 128 + the signal's number where a signal ended it
  double seconds = 0; ///< from start to end
  std::string output; ///< its stdout, where it was asked for
  bool started = false;
};

enum class Output { Shown, Captured };

/// Runs a program to its end. stdin and stderr are ours, and stdout too unless it is to be captured.
/// `environment` entries ("NAME=value") are added to ours.
Execution execute(const std::vector<std::string> &command, const std::vector<std::string> &environment,
                  Output output);

/// True where NVIDIA's driver is installed and has a device. The driver is only looked at, through its
/// library.
bool hasGpu();

} // namespace heddle::build
