// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/KernelCode.h"

namespace heddle::instrument {

/// Says for the lane slots that were empty in each basic block which branches left them empty (Branch::lostLanes),
/// from measured numbers: executions and lanes of the blocks, and how often lanes diverged at each branch. `absentLanes` are
/// the lanes that warps never had; what is due to no branch is added.
///
/// `branchAt`: by part and instruction, the branch in `launch.branches`.
void attributeLostLanes(divergence::LaunchProfile &launch, std::span<const divergence::CodePart> parts,
                        const std::vector<std::map<uint32_t, uint32_t>> &branchAt);

} // namespace heddle::instrument
