// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/ProgramProfile.h"
#include "ptx/Module.h"

#include <span>

namespace heddle::divergence {

/// One of the functions that a kernel consists of. Basic blocks of a kernel are numbered over its functions, in their
/// order; the kernel itself is the first of them.
struct CodePart {
  const ptx::Module *module = nullptr;
  const ptx::Function *function = nullptr;
};

/// A kernel with the functions that it may call, in the order in which the simulator numbers them.
std::vector<CodePart> partsOf(const ptx::Module &module, uint32_t kernel);

/// Whether lanes may diverge at the instruction.
bool mayDiverge(const ptx::Instr &instr);

/// The basic blocks, none of them executed.
std::vector<CodeBlock> codeBlocksOf(std::span<const CodePart> parts);

/// Inputs that are elements and decide about some basic block: their values are wanted.
std::vector<uint32_t> decidingElements(const Inputs &inputs);

/// What a load of this type has left at an address.
double valueAt(const uint8_t *at, ptx::Type type);

/// Values of combinations, from those of their elements.
void addCombinations(Inputs &inputs, uint32_t threads);

} // namespace heddle::divergence
