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

enum class Emitted {
  MayBeWritten,
  DoesNotCompile,      ///< though the file it was made from does
  InputDoesNotCompile, ///< with the compiler that was asked for: neither of the two does
  FailsTheCheck,       ///< a kernel in it is wrong by the static check
};

/// Parses the emitted file and, where `isChecked`, compiles its device code and checks each kernel statically
/// with the blocks that the file itself launches it with. Findings go to stderr, and so does everything that
/// was not decided (no compiler, a block known only at run time, synchronization that depends on data), with
/// the reason; that is no reason to refuse. `remarks` prints all verdicts.
Emitted checkEmitted(const EmittedFile &file, bool isChecked, bool remarks, bool colour);

} // namespace heddle::cli
