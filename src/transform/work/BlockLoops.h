// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Makes a loop of the block out of loops in which each thread goes through its own share of global memory.
///
///     for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)    sum += in[i];
/// =>
///     for (int first = blockIdx.x * blockDim.x; first < n; first += stride) {
///       int i = first + threadIdx.x;
///       if (i < n)
///         sum += in[i];
///     }
///
/// All threads go through the second together, so that a work loop can go inside: merged threads then ask for
/// their elements at the same time and wait once. One after the other they would read each cache line as
/// often as there are threads merged, with a whole pass over the share between.
///
/// Only where the loop reads and changes nothing but local variables, and goes forward by multiples of the
/// block.
std::optional<Needs> makeLoopsOfTheBlock(Context &context, const Kernel &kernel);

} // namespace heddle::transform
