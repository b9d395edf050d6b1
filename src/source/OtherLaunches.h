// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::source {

class Program;
struct Kernel;

/// Why a kernel may be launched from a place that `Program::launches` does not show. A directive that changes
/// what a launch must look like (its block, its parameters) may only be carried out where there is none.
struct OtherLaunches {
  enum class Kind {
    AddressTaken,    ///< its address is stored, handed on, or a template argument
    SharedLaunch,    ///< a launch of it, in a host template, is one of another kernel as well
    Declared,        ///< a header that other files may include declares it
    Instantiated,    ///< it is instantiated explicitly, for other files
    NotLaunched,     ///< it is visible to other files, and nothing in this one launches it
    ExternalLinkage, ///< only that: another file could declare it by hand
  } kind = Kind::ExternalLinkage;
  SourceLocation location;
  std::string why; ///< "the kernel's address is taken here, so launches of it may be missed"
};

/// The strongest reason; nothing where every launch of the kernel is known. `instances` are all
/// instantiations of one kernel. A whole program has no other files; addresses can be taken there as well.
///
/// Closed by itself is a kernel with internal linkage (static, in an unnamed namespace), and one of a program
/// that is whole by its text (`isWholeProgram`).
std::optional<OtherLaunches>
otherLaunches(const Program &program, const std::vector<const Kernel *> &instances, bool isSaidToBeWhole);

/// The file defines `main` and every function and variable of the user's that it uses: no other file is
/// needed to link it.
bool isWholeProgram(const Program &program);

} // namespace heddle::source
