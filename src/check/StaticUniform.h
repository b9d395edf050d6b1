// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/StaticRegion.h"
#include "vm/Limits.h"

namespace heddle::check {

/// For each register of a kernel, whether it may differ from thread to thread of a block. Those that may not
/// are computed from parameters, blockIdx, gridDim, blockDim, constants and what threadIdx is in directions
/// in which the block has no extent, where all threads come alike.
std::vector<bool> varyingRegisters(const ptx::Function &kernel, const vm::Dim3 &block, Regions &regions);

} // namespace heddle::check
