// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of steps of each warp, round by round.
#pragma once

#include "partition/SyncPoints.h"

namespace heddle::partition {

/// Barriers are not yet numbered. The last point is that of all warps.
Partitioned schedule(const Graph &graph, const Mapping &mapping, const Transfers &transfers,
                     const Slots &slots, const Rounds &rounds, const std::vector<RoundPoint> &points,
                     const PartitionOptions &options);

} // namespace heddle::partition
