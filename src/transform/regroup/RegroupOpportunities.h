// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Registry.h"

#include <vector>

namespace heddle::transform {

/// Where threads that have nothing to do with each other diverge by what they load: `regroup` is for them.
std::vector<Opportunity> regroupOpportunities(const KernelFacts &facts);

} // namespace heddle::transform
