// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bar and barrier (PTX ISA, "Parallel Synchronization and Communication Instructions").
//
// Threads are counted one by one, as since Volta. The missing lanes of a warp (beyond the block's size, or
// exited) count as soon as every live lane of the warp has arrived, because PTX counts whole warps. A barrier
// without a count waits for live threads only: hardware lets threads exit before a barrier, and programs rely
// on it. A barrier with a count waits for that many threads, even if it is the size of the block.
#include "vm/Cluster.h"
#include "vm/Grid.h"

#include <algorithm>

namespace heddle::vm {

void Barrier::reset(uint64_t nextGeneration) {
  std::vector<uint32_t> keptLanes = std::move(lanes);
  std::vector<uint8_t> keptWhole = std::move(whole);
  *this = {};
  std::fill(keptLanes.begin(), keptLanes.end(), 0);
  std::fill(keptWhole.begin(), keptWhole.end(), uint8_t(0));
  lanes = std::move(keptLanes);
  whole = std::move(keptWhole);
  generation = nextGeneration;
}

bool Block::isComplete(const Barrier &barrier) const {
  if (barrier.expected == 0)
    return false;
  if (!barrier.everybody)
    return barrier.arrived >= barrier.expected;
  for (size_t w = 0; w < warps.size(); ++w)
    if (warps[w]->alive() & ~barrier.lanes[w])
      return false;
  return true;
}

Flow Block::reachBarrier(Warp &warp, const Inst &in, uint32_t mask, unsigned number, uint32_t expected,
                         bool wait, bool aligned, BarrierEvent::Kind kind, uint32_t votes) {
  Barrier &barrier = barriers[number];
  const bool wholeBlock = expected == 0;
  if (wholeBlock)
    expected = roundedThreads();
  if (grid->sees(Observer::Synchronization) && !whole.areSeparating)
    grid->observer->barrierReached(warp.ref(), warp.siteOf(in),
                                   {kind, number, mask, wholeBlock ? 0 : expected, barrier.generation,
                                    aligned, aligned && mask != warp.alive()});
  if (expected % Lanes)
    return warp.misused(
        in, mask, Misuse::BarrierCount,
        fmt::format("barrier {} is given {} threads, which is not a multiple of the warp size", number,
                    expected));
  if (expected > roundedThreads())
    return warp.misused(in, mask, Misuse::BarrierCount,
                        fmt::format("barrier {} waits for {} threads, but the block has only {}", number,
                                    expected, grid->threadsPerBlock));
  if (barrier.expected && barrier.expected != expected)
    return warp.misused(in, mask, Misuse::BarrierCount,
                        fmt::format("barrier {} is used with {} threads here, but others wait at it for {}",
                                    number, expected, barrier.expected),
                        {fmt::format("the first arrived at PTX line {}",
                                     barrier.firstCode->sourceOf(*barrier.firstInst).line)});
  if (barrier.lanes.size() != warps.size())
    barrier.lanes.assign(warps.size(), 0), barrier.whole.assign(warps.size(), 0);
  if (uint32_t twice = barrier.lanes[warp.index] & mask)
    return warp.misused(
        in, twice, Misuse::BarrierTwice,
        fmt::format("barrier {} is reached a second time before it completed ({} of {} threads arrived)",
                    number, barrier.arrived, expected));
  if (!barrier.expected) {
    barrier.expected = expected;
    barrier.firstInst = &in;
    barrier.firstCode = &warp.code();
  }
  usedBarriers |= 1u << number;
  barrier.everybody |= wholeBlock;
  barrier.lanes[warp.index] |= mask;
  barrier.arrived += countLanes(mask);
  if (!barrier.whole[warp.index] && (warp.alive() & ~barrier.lanes[warp.index]) == 0) {
    barrier.whole[warp.index] = 1;
    barrier.arrived += countLanes(~barrier.lanes[warp.index]);
  }
  if (kind == BarrierEvent::Kind::Reduce) {
    barrier.all &= (votes & mask) == mask;
    barrier.any |= (votes & mask) != 0;
    barrier.count += countLanes(votes & mask);
  }
  if (!barrier.everybody && barrier.arrived > barrier.expected)
    return warp.misused(in, mask, Misuse::BarrierTooMany,
                        fmt::format("{} threads arrived at barrier {}, which is for {}", barrier.arrived,
                                    number, barrier.expected));
  if (!wait) {
    releaseIfComplete(number);
    return Flow::Next;
  }
  warp.flush(&in);
  warp.segment = &in + 1;
  const uint32_t pc = warp.code().pcOf(in);
  if (uint32_t passing = warp.now().mask & ~mask)
    warp.separate(in, passing, pc + 1);
  warp.park(in, SplitState::AtBarrier);
  warp.now().barrier = uint8_t(number);
  releaseIfComplete(number);
  return Flow::Parked;
}

bool Block::hasArrivedAtCluster() const { return hasExited() || isComplete(barriers[ClusterBarrier]); }

void Block::releaseIfComplete(unsigned number) {
  if (number == ClusterBarrier)
    return cluster->releaseIfComplete();
  if (isComplete(barriers[number]))
    release(number);
}

/// The result of bar.red, written when the lanes are released, because it is not known before.
static void writeReduction(Warp &warp, const Split &split, const Inst &in, const Barrier &barrier) {
  if (in.dst == NoLoc)
    return;
  warp.useFrame(split.frame);
  if (in.mode == 0) { // popc
    eachLane(split.mask, [&](unsigned lane) { warp.row<uint32_t>(in.dst)[lane] = barrier.count; });
    return;
  }
  const bool holds = in.mode == 1 ? barrier.all : barrier.any;
  uint32_t &pred = warp.pred(in.dst);
  pred = holds ? pred | split.mask : pred & ~split.mask;
}

void Block::release(unsigned number) {
  Barrier &barrier = barriers[number];
  if (grid->sees(Observer::Synchronization))
    grid->observer->barrierCompleted(warps[0]->ref(), number, barrier.generation);
  for (auto &warp : warps) {
    for (unsigned i = 0; i < warp->splitCount; ++i) {
      Split &split = warp->splits[i];
      if (split.state != SplitState::AtBarrier || split.barrier != number)
        continue;
      const Inst &in = split.frame->code->insts[split.pc];
      writeReduction(*warp, split, in, barrier);
      split.state = SplitState::Ready;
      split.jump(in, split.pc + 1);
    }
    if (warp->splitCount && warp->hasBegun)
      warp->useFrame(warp->now().frame);
  }
  barrier.reset(barrier.generation + 1);
}

void Block::lanesExited() {
  eachBarrier(usedBarriers, [&](unsigned number) {
    Barrier &barrier = barriers[number];
    if (!barrier.expected)
      return;
    for (size_t w = 0; w < warps.size(); ++w)
      if (barrier.lanes[w] && !barrier.whole[w] && (warps[w]->alive() & ~barrier.lanes[w]) == 0) {
        barrier.whole[w] = 1;
        barrier.arrived += countLanes(~barrier.lanes[w]);
      }
    releaseIfComplete(number);
  });
  // Other blocks of the cluster may wait for this one although none of its threads ever arrived.
  if (cluster->hasSeveral())
    cluster->releaseIfComplete();
}

} // namespace heddle::vm
