// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Program.h"
#include "verify/Compare.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace heddle::cli {

struct Session;

/// Two programs to be run and compared. Each is its own files and those that both have
/// (options.sources.files).
struct Verification {
  build::ProgramOptions options;
  std::array<std::vector<std::filesystem::path>, 2> programs; ///< the original first
  verify::Tolerance tolerance;
  bool ignoreStdout = false, json = false;
  std::filesystem::path page; ///< an HTML page that is also written; empty: none
  /// Where they differ, once more with no multiplication fused with an addition: compilers do that where they
  /// see fit, which may be at other places in another text.
  bool retriesUnfused = false;
  size_t inputs = 0; ///< how many more inputs are tried, with other numbers in the program's arguments
  uint64_t seed = 1;
  std::array<std::filesystem::path, 2> shownAs; ///< what messages call them; empty for their own names
};

/// Runs both and prints whether they copy the same to the host; the answer is the session's exit code.
void verifyPrograms(const Verification &verification, Session &session);

} // namespace heddle::cli
