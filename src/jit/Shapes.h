// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lanes of a register have in common.
//
// A register that all lanes have the same value of (Uniform) is one scalar in compiled code. One whose lanes differ by a constant
// stride inside a chunk of lanes, such as an address computed from threadIdx.x, is one scalar for each chunk (Affine), or for the warp
// if the stride is the same from chunk to chunk: loads from such addresses are one check and one vector. Everything else is a vector for
// each chunk (Varying). A register has one shape in the whole function, the least that holds for all its definitions.
//
// That lanes agree where a value is computed is not enough: they must agree where they reconverge. For each branch on which lanes
// may diverge, they can reconverge at a block that both of its ways lead to; a register that is defined on one of the ways and
// still needed there is Varying. That also covers loops that lanes leave at different times: a counter stays uniform inside, and
// is not if it is used behind the loop.
#pragma once

#include "jit/Program.h"

#include <vector>

namespace heddle::jit {

struct Shape {
  enum Kind : uint8_t { Unknown, Uniform, Affine, Varying } kind = Unknown;
  bool wholeWarp = false; ///< Affine: neighbouring lanes of different chunks have the same stride
  int64_t stride = 0;     ///< Affine: between neighbouring lanes of a chunk

  bool operator==(const Shape &) const = default;
  bool isUniform() const { return kind == Uniform || kind == Unknown; }
  /// Whether one scalar for each chunk is its value in every lane of the chunk.
  bool isSameInChunk() const { return isUniform() || (kind == Affine && stride == 0); }
  bool isScalar() const { return kind != Varying; }
  /// Whether it is one scalar for the warp.
  bool isOneScalar() const { return isUniform() || wholeWarp; }
};

class Shapes {
public:
  /// Without `affine`, for masks: lanes that are off have no value that a stride could start from.
  Shapes(const Program &program, bool affine);

  Shape operator[](uint32_t reg) const { return shapes[reg]; }
  Shape ofSource(uint32_t instr, const ptx::Operand &operand) const;
  Shape ofAddress(uint32_t instr) const;
  /// What an instruction computes, before it is stored to a register.
  Shape ofResult(uint32_t instr) const;
  /// Whether the result of an affine operation is one only if the operand does not wrap around.
  bool widens(uint32_t instr) const;
  /// Whether the operation is computed for the first lane of each chunk, and the others follow from it only if none wraps around.
  bool mayWrap(uint32_t instr) const;
  /// Blocks that lanes may reach separately, or meet in.
  std::vector<bool> meetingBlocks() const;
  bool isDivergent(uint32_t branch) const;

private:
  void lower(uint32_t reg, Shape to, bool &changed);
  void joinAt(uint32_t branch, bool &changed);
  std::vector<bool> reachedFrom(uint32_t block, uint32_t stop) const;
  Shape linear(uint32_t instr, bool wholeWarp) const;

  const Program &program;
  const bool affine;
  std::vector<Shape> shapes;
};

} // namespace heddle::jit
