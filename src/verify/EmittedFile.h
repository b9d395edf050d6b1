// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "build/Build.h"
#include "source/Program.h"
#include "support/Diagnostics.h"
#include "verify/SameFindings.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heddle::verify {

/// A file that was made and is not in its place yet.
struct EmittedFile {
  std::filesystem::path origin;    ///< what it was made from: its #include "..." are meant from there
  std::filesystem::path candidate; ///< where it is now
  std::filesystem::path shownAs;   ///< what messages call it
  std::string text;
  /// Kernels that are in it as they were in the original, by their plain names: "ns::scan".
  std::set<std::string> untouchedKernels;
  source::CompileOptions compile;
  build::Request build; ///< flags, architecture and compiler; the file is the candidate
  /// Files that the candidate includes and that are not in their places either, and what messages call them.
  std::map<std::string, std::string> names = {};
};

enum class Emitted {
  MayBeWritten,
  DoesNotCompile,      ///< though the file it was made from does
  InputDoesNotCompile, ///< with the compiler that was asked for: neither of the two does
  FailsTheCheck,       ///< a kernel in it is wrong by the static check, and the original is not
};

struct EmittedCheck {
  Emitted outcome = Emitted::MayBeWritten;
  /// What a compiler reported of a text that it does not accept.
  std::string compilerMessages;
  /// That a text does not compile; and everything that was not checked, with the reason.
  Diagnostics diagnostics;

  struct Kernel {
    std::string name;
    check::StaticResult result;   ///< with its source lines
    KernelLaunches::Known launch; ///< the block that the result holds for
    /// Of a kernel that fails: whether the original does, too. Nothing where the original is not known.
    std::optional<Sameness> original;
  };
  std::vector<Kernel> kernels; ///< those that were checked
};

/// Whether the findings of the kernel are a reason not to write the file.
bool isAcceptable(const EmittedCheck::Kernel &kernel);

/// That properties of the kernel are undecided, or that it fails as the original does; nothing of others.
std::optional<Diagnostic> warningAbout(const EmittedCheck::Kernel &kernel, const EmittedFile &file);

/// Which kernels of an emitted file are checked: none (the text is only parsed), those that were changed, or all.
enum class CheckedKernels { None, Changed, All };

/// Parses the emitted file, compiles its device code and checks its kernels statically, with the blocks that
/// the file itself launches them with. What is not decided (no compiler, a block known only at run time,
/// synchronization that depends on data) is no reason not to write the file. Neither is a finding that the
/// original has too.
EmittedCheck checkEmitted(const EmittedFile &file, CheckedKernels which);

} // namespace heddle::verify
