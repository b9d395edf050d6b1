// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vm/Block.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::vm {

/// Blocks that run together, access each other's shared memory and synchronize at a barrier of their own. A launch
/// without clusters has clusters of one block.
///
/// One core runs all blocks of a cluster, alternately, so their accesses to each other's shared memory need no
/// more synchronization than those of the warps of one block.
class Cluster {
public:
  uint64_t index = 0; ///< in order of execution; determines the order of ordered atomics, faults and output
  std::vector<std::unique_ptr<Block>> blocks; ///< by rank
  bool started = false;
  bool idleEvidence = false; ///< last run: all its blocks only polled, and changed nothing
  uint64_t idleEpoch = 0;    ///< of the grid, at the last such stall
  unsigned idleStreak = 0;

  void start(Grid &grid);
  BlockEnd run(Core &core);
  /// The block that ended the last run with a fault.
  const Block &faulted() const;

  bool hasSeveral() const { return blocks.size() > 1; }
  /// The block of that rank, nullptr where there is none or its threads have all exited.
  Block *living(uint64_t rank) const;
  /// barrier.cluster: if all threads that have not exited have arrived, releases them.
  void releaseIfComplete();

private:
  /// One pass over the blocks. It is resumed after a wait at an ordered atomic: the pass continues with the block
  /// that waited, so the order of blocks does not depend on how long it waited.
  struct Pass {
    size_t next = 0;
    bool moved = false, done = true, idle = true;
  };
  Pass pass;
  bool movedInEarlierPass = false;
};

} // namespace heddle::vm
