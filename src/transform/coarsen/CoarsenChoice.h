// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Registry.h"

namespace heddle::transform {

/// Whether and how far to coarsen, as section 4.4 of Unkule, Shaltz and Qasem (CC 2012) decides it: by the loads that merged
/// threads would share, the registers this takes, and the occupancy that is left.
std::variant<Suggestion, Needs> suggestCoarsening(Context &context);

} // namespace heddle::transform
