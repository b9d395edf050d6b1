// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"
#include "source/Program.h"

#include <filesystem>
#include <set>
#include <string>

namespace heddle::cli {

/// A file that was made and is not in its place yet.
struct EmittedFile {
  std::filesystem::path origin;    ///< what it was made from: its #include "..." are meant from there
  std::filesystem::path candidate; ///< where it lies now
  std::filesystem::path shownAs;   ///< what messages call it
  std::string text;
  /// Kernels that are in it as they were in the original, by their plain names: "ns::scan".
  std::set<std::string> untouchedKernels;
  source::CompileOptions compile;
  build::Request build; ///< flags, architecture and compiler; the file is the candidate
};

enum class Emitted {
  MayBeWritten,
  DoesNotCompile,      ///< though the file it was made from does
  InputDoesNotCompile, ///< with the compiler that was asked for: neither of the two does
  FailsTheCheck,       ///< a kernel in it is wrong by the static check, and the original is not
};

/// Parses the emitted file and, where `isChecked`, compiles its device code and checks each kernel that was
/// changed statically, with the blocks that the file itself launches it with. Findings go to stderr, and so
/// does everything that was not decided (no compiler, a block known only at run time, synchronization that
/// depends on data), with the reason; that is no reason to refuse. Neither is a finding that the original has
/// too, which is said. `remarks` prints all verdicts, also those of untouched kernels.
Emitted checkEmitted(const EmittedFile &file, bool isChecked, bool remarks, bool colour);

} // namespace heddle::cli
