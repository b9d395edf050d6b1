// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check/StaticRegion.h"

namespace heddle::check {

/// For each register of a kernel, whether it may differ from thread to thread of a block. Those that may not
/// are computed from parameters, blockIdx, gridDim, blockDim and constants, where all threads come alike.
std::vector<bool> varyingRegisters(const ptx::Function &kernel, Regions &regions);

} // namespace heddle::check
