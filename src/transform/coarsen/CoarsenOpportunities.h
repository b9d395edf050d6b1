// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"

#include <string>
#include <vector>

namespace heddle::transform {

/// What `coarsen` could save, a line for each axis along which threads read the same elements.
std::vector<std::string> coarsenOpportunities(const analysis::KernelFacts &facts);

} // namespace heddle::transform
