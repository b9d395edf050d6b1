// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// `auto`: decides whether and how far to coarsen, as section 4.4 of Unkule, Shaltz and Qasem (CC 2012) does:
/// by the loads that merged threads would share, the registers this takes, and the occupancy that is left.
/// Leaves a kernel as it is, with a remark that says why, where nothing is to be gained. Needs the block:
/// from a launch, or --block.
bool chooseAutomatically(Context &context);

} // namespace heddle::transform
