// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters: shared memory that several blocks access, and the barrier that orders them. See Clusters.cpp.
#pragma once

#include "check/Barriers.h"
#include "check/GlobalShadow.h"

#include <cstdint>
#include <vector>

namespace heddle::check {

/// Shared memory of all blocks of a launch in clusters.
class ClusterMemory {
public:
  /// `home`: the block whose memory is accessed. `byMbarriers`: the accessing block has mbarriers.
  void access(const Where &at, const vm::AccessEvent &event, uint64_t home, bool byMbarriers,
              const BlockOrder &order, Reporter &reporter);

private:
  GlobalShadow shadow;
  bool flagged = false; ///< blocks synchronize through each other's shared memory, which is not followed
};

/// Numbers of the blocks of a block's cluster.
std::vector<uint64_t> clusterOf(const LaunchFacts &launch, uint64_t block);

/// One block of a cluster whose barrier completes.
struct ClusterMate {
  BlockBarriers &barriers;
  BlockOrder &order;
};
/// Is called once for each block of the cluster; the first time does the work.
void completeClusterBarrier(const std::vector<ClusterMate> &cluster);

} // namespace heddle::check
