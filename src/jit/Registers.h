// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of a function while compiled code runs: scalars for what lanes have in common, a vector for each chunk of lanes for
// everything else. LLVM makes values of them (they are allocas until then).
#pragma once

#include "jit/Shapes.h"

#include <llvm/IR/IRBuilder.h>

namespace heddle::jit {

/// How many lanes a vector of the host has, and for which lanes code is emitted.
struct Version {
  unsigned width = 8; ///< lanes of a chunk
  bool masked = false;
  unsigned chunks() const { return vm::Lanes / width; }
};

class Registers {
public:
  Registers(llvm::IRBuilder<> &builder, const Program &program, const Shapes &shapes, Version version);

  /// Emits what every use needs, at the start of the function.
  void begin(llvm::Value *state, const llvm::BitVector &mentioned);

  /// The lanes of a chunk.
  llvm::Value *vector(uint32_t reg, unsigned chunk);
  /// The value of a register that is Uniform, or of the first lane of a chunk of an Affine one.
  llvm::Value *scalar(uint32_t reg, unsigned chunk);
  /// `value` is a vector, or a scalar that all lanes get; of an Affine register, that of its first lane. What is one scalar for the
  /// warp is that of chunk 0: others are ignored.
  void set(uint32_t reg, unsigned chunk, llvm::Value *value);

  void load(uint32_t reg);  ///< from its row
  void store(uint32_t reg); ///< to its row, where the mask has lanes

  /// The values of a register, to be put back.
  llvm::SmallVector<llvm::Value *, 4> values(uint32_t reg);
  void putBack(uint32_t reg, llvm::ArrayRef<llvm::Value *> values);

  llvm::Value *splat(llvm::Value *scalar);
  /// The first lane of a chunk, given that of the warp.
  llvm::Value *ofChunk(llvm::Value *first, Shape shape, unsigned chunk);
  /// base + lane * stride.
  llvm::Value *spread(llvm::Value *base, int64_t stride);
  /// From now on code is for these of the lanes; registers that are `kept` do not change in the others. nullptr: for all again.
  void restrictTo(llvm::Value *lanes, const llvm::BitVector *kept);
  bool isPartial() const { return version.masked || isRestricted; }
  llvm::Value *mask() const { return maskBits; }
  llvm::Value *all() const { return allBits; }               ///< also while code is for some
  llvm::Value *laneMask(unsigned chunk);                     ///< <W x i1>
  llvm::Value *bitsOf(llvm::ArrayRef<llvm::Value *> chunks); ///< predicates of all chunks as 32 bits
  llvm::Value *chunkOf(llvm::Value *bits, unsigned chunk);   ///< and back
  llvm::Value *field(size_t offset);
  llvm::Value *loadField(size_t offset, llvm::Type *type) { return ir.CreateLoad(type, field(offset)); }
  llvm::Type *elementType(uint32_t reg) const;
  llvm::Type *vectorType(llvm::Type *element) const;

  const Version version;

private:
  using Homes = llvm::SmallVector<llvm::AllocaInst *, 4>;
  const Homes &homesOf(uint32_t reg);
  llvm::Value *rowAt(uint32_t reg, unsigned chunk);
  llvm::Value *predicateBits(uint32_t reg);
  llvm::Value *firstLaneOf(uint32_t reg, unsigned chunk);

  llvm::IRBuilder<> &ir;
  const Program &program;
  const Shapes &shapes;
  std::vector<Homes> homes; ///< empty unless it is mentioned
  llvm::Value *state = nullptr, *maskBits = nullptr, *firstLane = nullptr;
  llvm::SmallVector<llvm::Value *, 8> masks;
  // Of the whole function.
  llvm::Value *allBits = nullptr, *allFirst = nullptr;
  llvm::SmallVector<llvm::Value *, 8> allMasks;
  bool isRestricted = false;
  const llvm::BitVector *keptRegisters = nullptr;
};

} // namespace heddle::jit
