// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Writes what a cooperative group of the block states about its threads with CUDA's built-in variables, which
/// transforms follow.
///
///     cta.thread_rank()       =>   threadIdx.x        (of a block in one dimension; else with y and z)
///     cta.group_index().y     =>   blockIdx.y
///     cta.size()              =>   blockDim.x
///     tile.meta_group_rank()  =>   (threadIdx.x / 32)     (of tiled_partition<32>(cta))
///
/// A call that instantiations of a template would need different text for stays. A group that only replaced calls named is not
/// declared any more.
std::optional<Needs> writePlainIndices(Context &context, const Kernel &kernel);

} // namespace heddle::transform
