// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arch/Arch.h"
#include "ptx/Module.h"

namespace heddle::analysis {

/// How many registers ptxas is likely to give a thread of a kernel, estimated from the kernel's PTX.
///
/// Each block is scheduled as ptxas does: what waits longest goes first, so that loads precede the work that needs no loaded value.
/// Short loops are unrolled before. This stops at `atFullOccupancy` registers, with which a multiprocessor is full of threads: from
/// there on the instruction that frees most goes first. Constants and kernel parameters need no register but pointers of the blocks
/// that use them; a sum of an address and a constant is part of the load or store.
unsigned registersLikely(const ptx::Function &kernel, unsigned atFullOccupancy);

/// Registers per thread with which the register file has room for as many threads as a multiprocessor can have.
unsigned registersAtFullOccupancy(const arch::Arch &arch);

} // namespace heddle::analysis
