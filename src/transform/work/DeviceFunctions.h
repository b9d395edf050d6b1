// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"
#include "transform/work/ItemIndices.h"

namespace heddle::transform {

/// Gives the device functions that a kernel calls, and that ask for the thread's index or the block's size,
/// what they need to know: the item's index as parameters in front.
///
///     __device__ float load(const float *p) { return p[threadIdx.x]; }
///  => __device__ float load(const unsigned threadX, const float *p) { return p[threadX]; }
///
/// A function that others call as well stays, and a copy of it is changed. Returns what calls must become;
/// nothing where a function cannot be changed, with a refusal.
std::optional<CallChanges> changeDeviceFunctions(Context &context, const Kernel &kernel,
                                                 const ItemIndices &indices, Names &names);

} // namespace heddle::transform
