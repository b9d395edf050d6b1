// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ptx/Module.h"

#include <cstdint>

namespace heddle::ptx {

/// Rows, columns and depth of a matrix shape: m16n8k16 is 16, 8, 16. Without a k the depth is 0.
struct ShapeSize {
  unsigned m = 0, n = 0, k = 0;
};
ShapeSize sizeOf(MmaShape shape);

/// How a fragment lies in the registers of one lane.
struct Fragment {
  unsigned registers = 0; ///< 0: PTX has no such fragment
  unsigned bits = 32;     ///< of each register
};

enum class FragmentRole : uint8_t { A, B, C, D };

/// The fragment of an mma.sync, or of a wmma instruction, by shape and element type.
Fragment mmaFragment(MmaShape shape, Type element, FragmentRole role);
Fragment wmmaFragment(MmaShape shape, Type element, FragmentRole role);

/// "" where every vector operand of a matrix instruction (mma, wmma, ldmatrix, stmatrix) has as many
/// registers of the right width as its shape and types ask for; else what is wrong. Other instructions: "".
std::string matrixProblem(const Function &function, const Instr &instr);

} // namespace heddle::ptx
