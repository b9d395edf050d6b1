// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Registry.h"

#include <vector>

namespace heddle::transform {

/// What `coarsen` could save, a line for each axis along which threads read the same elements.
std::vector<Opportunity> coarsenOpportunities(const KernelFacts &facts);

} // namespace heddle::transform
