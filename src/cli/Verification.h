// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Compare.h"
#include "build/Program.h"

#include <array>
#include <filesystem>

namespace heddle::cli {

struct Session;

/// Two programs to be run and compared: the first two files, each with all files behind them.
struct Verification {
  build::ProgramOptions options;
  build::Tolerance tolerance;
  bool ignoreStdout = false, json = false;
  std::array<std::filesystem::path, 2> shownAs; ///< what messages call them; empty for their own names
};

/// Runs both and prints whether they bring the same back; the answer is the session's exit code.
void verifyPrograms(const Verification &verification, Session &session);

} // namespace heddle::cli
