// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"
#include "transform/work/ItemIndices.h"

#include <cstdint>

namespace heddle::transform {

/// Whether threads (or blocks) of this kernel may be merged along these axes: the legality of section 4.3 in
/// Unkule, Shaltz and Qasem, "Automatic restructuring of GPU kernels for exploiting inter-thread data
/// locality" (CC 2012), and what today's CUDA adds to it. False, with refusals in the context, where not.
/// `form`: where the block is written down in another one.
bool mayCoarsen(Context &context, const Kernel &kernel, const std::vector<Axis> &axes, Map map,
                const BlockForm *form = nullptr);

/// Adds to the report of a pass that runs threads in another order what results may depend on, a note for each array: races
/// that could not be excluded and are assumed not to happen, as in the paper, with what is in the way of deciding; and
/// atomics whose order shows in the results.
void noteReordering(Context &context, Diagnostic &report);

/// False, with a refusal, where threads certainly race. `why` has {} for the array.
bool checkRaces(Context &context, const KernelFacts &facts, const char *why, const std::string &hint = {});

/// Why a kernel cannot be cut at its barriers.
constexpr const char *gotoAmongBarriers =
    "goto in a kernel with barriers: its regions cannot be distinguished";

/// Threads of one warp of the merged block do, for each work item, the work of one warp of the original
/// block, lane by lane.
bool keepsWarpsWhole(const std::array<int64_t, 3> &block, const std::vector<Axis> &axes, Map map);

} // namespace heddle::transform
