// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Synchronization points at the boundaries between rounds: who has to know of whom before the next round.
#pragma once

#include "partition/Rounds.h"
#include "partition/WarpPrograms.h"

namespace heddle::partition {

/// One end of a point: a warp that waits does so at the end of the point's round; one that only arrives does
/// so as soon as the work that others wait for is done.
struct Attendance {
  unsigned warp = 0;
  unsigned round = 0;
  bool waits = false;
};

struct RoundPoint {
  unsigned round = 0; ///< it is at the end of this one
  std::vector<Attendance> warps;
};

/// In linear order: by round. The point of all warps at the very end is not among them.
std::vector<RoundPoint> findPoints(const Graph &graph, const Mapping &mapping, const Transfers &transfers,
                                   const Slots &slots, const Rounds &rounds, unsigned warps);

} // namespace heddle::partition
