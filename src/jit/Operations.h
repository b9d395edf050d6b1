// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX arithmetic as LLVM IR, with exactly the bits of src/semantics.
#pragma once

#include "ptx/Module.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>

#include <string>
#include <utility>
#include <vector>

namespace heddle::jit {

/// Emits what an arithmetic instruction computes for a chunk of lanes, or for one uniform value.
///
/// A value is an integer of the register's width, iN or <W x iN>; i1 or <W x i1> for a predicate. `sources` are the source
/// operands in the order of the instruction, vectors element by element; all have the same lane count. Constants have the
/// width of their operand, special registers 32 bits or their own 64. "!p" is negated by the caller. Instructions that read
/// the condition code (readsCarry) have it as one more source, the last, as a predicate.
///
/// Returns a value for each destination, also for those that are not written ("_", setp without q), in the order of the
/// instruction and of the width of their registers, and as the last the condition code of those that write it
/// (writesCarry). Returns nothing if the operation is not compiled. With `anyNaN`, a result of f32 or f64 that is a NaN may be any one.
llvm::SmallVector<llvm::Value *, 2> emitOperation(llvm::IRBuilderBase &builder, const ptx::Function &function,
                                                  const ptx::Instr &instr,
                                                  llvm::ArrayRef<llvm::Value *> sources, bool anyNaN = false);

/// Whether emitOperation compiles it.
bool isCompiled(const ptx::Function &function, const ptx::Instr &instr);

/// Functions that emitted code calls, by the names that it uses: whoever links it defines them.
std::vector<std::pair<std::string, void *>> calledFunctions();

bool readsCarry(const ptx::Instr &instr);
bool writesCarry(const ptx::Instr &instr);

} // namespace heddle::jit
