// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of steps of each warp, round by round.
#pragma once

#include "weave/SyncPoints.h"

namespace heddle::weave {

/// Barriers are not yet numbered. The last point is that of all warps.
Woven schedule(const Graph &graph, const Mapping &mapping, const Transfers &transfers, const Slots &slots,
               const Rounds &rounds, const std::vector<RoundPoint> &points, const WeaveOptions &options);

} // namespace heddle::weave
