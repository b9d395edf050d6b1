// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Terms of sums, moved together. A plan adds a term to its sum as soon as the warp has it; which sum that is
// differs from warp to warp, and sums live in registers, so no two warps can share that. Where terms are in
// rows to the end, they are better added sum after sum, just before the sum is wanted: then every warp does
// the same, row after row, and longest sums come first so that those of different warps lie side by side.
#pragma once

#include "partition/Pieces.h"

namespace heddle::partition {

/// One warp's steps, with its additions moved where that can be.
std::vector<Step> gatherSums(const Partitioned &partitioned, unsigned warp, const RowFacts &facts);

} // namespace heddle::partition
