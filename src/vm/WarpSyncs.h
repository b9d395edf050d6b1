// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Warp.h"

#include <cstdint>

namespace heddle::vm {

/// The handler of every instruction that synchronizes the lanes of a mask.
Handler warpSyncHandler();

/// Inst::mode of instructions for a whole warp.
enum class MatrixWork : uint16_t {
  Mma,
  MmaQuad,
  LoadMatrix,
  StoreMatrix,
  MoveMatrix,
  LoadFragment,
  StoreFragment,
  FragmentProduct
};

/// The lane that a shuffle reads from; b and c are its operands (ExecLanes.cpp).
unsigned shuffleSource(unsigned lane, uint32_t b, uint32_t c, ptx::ShflMode mode);

/// wmma (ExecWmma.cpp).
Flow takeFragment(Warp &warp, const Inst &in, uint32_t mask);

/// mma, ldmatrix and similar instructions, once all lanes of the warp have arrived (ExecMatrix.cpp).
Flow takeMatrix(Warp &warp, const Inst &in, uint32_t mask, uint32_t here);

} // namespace heddle::vm
