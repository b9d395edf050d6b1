// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/KernelFacts.h"

#include <string>
#include <vector>

namespace heddle::transform {

/// Where threads that have nothing to do with each other diverge by what they load: `regroup` is for them.
std::vector<std::string> regroupOpportunities(const analysis::KernelFacts &facts);

} // namespace heddle::transform
