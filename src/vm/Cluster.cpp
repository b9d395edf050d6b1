// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread block clusters (PTX ISA, "Cooperative Thread Array Clusters").
#include "vm/Cluster.h"

#include "vm/Grid.h"

#include <algorithm>
#include <utility>

namespace heddle::vm {

void Cluster::start(Grid &grid) {
  const size_t size = size_t(grid.cluster.count());
  while (blocks.size() < size)
    blocks.push_back(std::make_unique<Block>());
  blocks.resize(size);
  for (unsigned rank = 0; rank < size; ++rank)
    blocks[rank]->start(grid, *this, rank);
  pass = {};
  movedInEarlierPass = false;
  started = true;
}

/// Blocks run one after the other as long as any of them makes progress. When none does, the cluster is set aside
/// like a block that only polls: it waits for something outside of the cluster, or forever.
BlockEnd Cluster::run(Core &core) {
  for (;;) {
    for (; pass.next < blocks.size(); ++pass.next) {
      Block &block = *blocks[pass.next];
      if (block.isDone)
        continue;
      switch (block.run(core)) {
      case BlockEnd::Faulted: return BlockEnd::Faulted;
      case BlockEnd::Stopped: return BlockEnd::Stopped;
      case BlockEnd::AwaitOrder: return BlockEnd::AwaitOrder;
      case BlockEnd::Done: block.isDone = pass.moved = true; break;
      case BlockEnd::Stalled:
        pass.idle &= block.idleEvidence, pass.moved |= block.hasMoved, pass.done = false;
        break;
      }
    }
    const Pass ended = std::exchange(pass, {});
    if (ended.done)
      return BlockEnd::Done;
    if (hasSeveral() && ended.moved) {
      movedInEarlierPass = true;
      continue;
    }
    idleEvidence = ended.idle && !std::exchange(movedInEarlierPass, false);
    return BlockEnd::Stalled;
  }
}

const Block &Cluster::faulted() const {
  return **std::find_if(blocks.begin(), blocks.end(), [](const auto &block) { return block->fault; });
}

Block *Cluster::living(uint64_t rank) const {
  return rank < blocks.size() && !blocks[rank]->hasExited() ? blocks[rank].get() : nullptr;
}

void Cluster::releaseIfComplete() {
  bool anybody = false;
  for (const auto &block : blocks) {
    if (!block->hasArrivedAtCluster())
      return;
    anybody |= block->barriers[ClusterBarrier].expected != 0;
  }
  if (!anybody)
    return;
  for (const auto &block : blocks)
    block->release(ClusterBarrier);
}

} // namespace heddle::vm
