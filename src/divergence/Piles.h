// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/Weighted.h"

#include <cstdint>

namespace heddle::divergence {

/// Rows divided into piles of no more than `most`, similar ones together, and piles beside each other similar
/// too.
std::vector<std::vector<uint32_t>> pilesOf(const WeightedVectors &vectors, std::vector<uint32_t> rows,
                                           uint32_t most);

} // namespace heddle::divergence
