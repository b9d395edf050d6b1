// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"
#include "source/Program.h"

#include <filesystem>
#include <string>

namespace heddle::cli {

/// A file that was made and is not in its place yet.
struct EmittedFile {
  std::filesystem::path origin;    ///< what it was made from: its #include "..." are meant from there
  std::filesystem::path candidate; ///< where it lies now
  std::filesystem::path shownAs;   ///< what messages call it
  std::string text;
  source::CompileOptions compile;
  build::Request build; ///< flags, architecture and compiler; the file is the candidate
};

/// Checks the kernels of an emitted file statically, each with the blocks that the file itself launches it
/// with. False, with the findings on stderr, where one of them fails. What cannot be decided (no compiler, a
/// block known at run time only, synchronization that depends on data) is printed on stderr and is no reason
/// to refuse; `remarks` asks for the whole verdict.
bool holdsStatically(const EmittedFile &file, bool remarks, bool colour);

} // namespace heddle::cli
