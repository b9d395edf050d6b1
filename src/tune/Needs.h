// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tune/Candidate.h"
#include "tune/Problem.h"

namespace heddle::tune {

/// What the kernels of some PTX need, by mangled name, if it is assembled with these flags of the compiler.
/// Nothing where there is no ptxas, or where the PTX is for the simulator only. The assembled module is written to `module`, where
/// that is not empty.
std::map<std::string, KernelNeeds> needsOf(const Problem &problem, const std::vector<std::string> &flags,
                                           const std::string &ptx, const std::filesystem::path &module = {});

/// Those flags of the compiler that the assembler of PTX heeds, as it takes them.
std::vector<std::string> assemblerFlags(const std::vector<std::string> &flags);

/// Flags of the compiler without those that only the assembler of PTX heeds: a limit of registers, and what
/// -Xptxas passes on.
std::vector<std::string> withoutAssemblerFlags(const std::vector<std::string> &flags);

} // namespace heddle::tune
