// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters: shared memory that several blocks access, and the barrier that orders them.
//
// The shadow of a block's shared memory knows that block's threads only. In launches with clusters of several
// blocks all accesses go to one more shadow as well, that of global memory, in which each block's shared
// memory has addresses of its own. It reports what happens between blocks; what happens inside of one is left
// to the block's own shadow.
//
// The barrier of a cluster completes in all of its blocks at once: each thread then knows what all of them
// knew. Orders that blocks make through each other's shared memory by other means (mbarriers of another
// block, volatile flags there) are not followed, and where a kernel does that nothing is reported.
#include "check/Clusters.h"

#include "check/AccessEvents.h"
#include "vm/Lanes.h"

namespace heddle::check {
namespace {

/// Shared memory of a block of a cluster, as the shadow numbers it.
constexpr unsigned OffsetBits = 24;
uint64_t addressIn(uint64_t home, uint64_t offset) { return (home + 1) << OffsetBits | offset; }

bool isWrite(const vm::AccessEvent &event) { return event.kind != vm::AccessKind::Load; }

class ClusterConflicts final : public GlobalAccessRules {
public:
  ClusterConflicts(const Where &where, const vm::AccessEvent &what, uint64_t homeBlock,
                   const BlockOrder &known, Reporter &found, bool isQuiet)
      : at(where), event(what), home(homeBlock), order(known), reporter(found), quiet(isQuiet) {}

  bool knows(unsigned lane, const GlobalPast &past) override {
    const Known &known = *order.known(at.warp, lane);
    const BlockClock *clock = past.actor == at.actor ? &known.own : known.of(past.actor);
    return clock && clock->knows(past.thread / 32, past.thread % 32, past.stamp);
  }

  bool clash(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) override {
    const bool insideOneBlock = home == at.block && past.actor == at.actor;
    if (past.sameValue || past.sameInstruction || insideOneBlock ||
        (isAtomic(event) && past.strength == Strength::Atomic) || quiet)
      return false;
    const Side me{&at.launch, at.block, at.thread(lane), at.instrId, isWrite(event), isAtomic(event)};
    const Side theirs{&at.launch, past.actor - at.launch.firstActor, past.thread, past.instrId,
                      pastWrites, past.strength == Strength::Atomic};
    if (!reporter.wasReported(Rule::RaceCluster, me.instrId, theirs.instrId))
      reporter.reportRace(
          Rule::RaceCluster, me, theirs,
          fmt::format("{} of {}",
                      sharedName(*at.launch.kernel, address & ((1u << OffsetBits) - 1), elementBytes(event)),
                      blockName(at.launch.grid, home)),
          "a cluster barrier (cluster.sync()) between the two orders them");
    return true;
  }
  bool unwritten(unsigned, uint64_t, uint32_t) override { return true; }
  void startsWritten(uint64_t, uint64_t (&)[64]) override {}
  void incoherent(unsigned, uint64_t, const GlobalPast &, bool) override {}
  CellValue stored(unsigned, uint64_t, unsigned) override { return std::nullopt; }
  CellValue held(unsigned, uint64_t, unsigned) override { return std::nullopt; }

private:
  const Where &at;
  const vm::AccessEvent &event;
  const uint64_t home;
  const BlockOrder &order;
  Reporter &reporter;
  const bool quiet;
};

} // namespace

void ClusterMemory::access(const Where &at, const vm::AccessEvent &event, uint64_t home, bool byMbarriers,
                           const BlockOrder &order, Reporter &reporter) {
  const bool ordering = event.ordering != vm::Ordering::Weak && !isAtomic(event);
  flagged |= (home != at.block && ordering) || byMbarriers;
  uint64_t addresses[32];
  vm::eachLane(event.mask, [&](unsigned lane) { addresses[lane] = addressIn(home, event.addresses[lane]); });
  ClusterConflicts conflicts(at, event, home, order, reporter, flagged);
  GlobalTouch touch;
  touch.mask = event.mask, touch.bytes = event.bytes, touch.addresses = addresses;
  touch.self.actor = at.actor, touch.self.stamp = order.stampOf(at.warp), touch.self.instrId = at.instrId;
  touch.self.thread = uint16_t(at.thread(0));
  touch.self.strength = isAtomic(event) ? Strength::Atomic : ordering ? Strength::Relaxed : Strength::Weak;
  touch.self.scope = vm::Scope::Cluster;
  touch.known = order.leastKnown(at.warp);
  touch.orderedBelow = touch.firstActor = at.launch.firstActor;
  if (isWrite(event))
    shadow.write(touch, conflicts, false);
  else
    shadow.read(touch, conflicts, false);
}

std::vector<uint64_t> clusterOf(const LaunchFacts &launch, uint64_t block) {
  const vm::Dim3 &grid = launch.grid, &size = launch.cluster;
  auto corner = [](uint64_t at, uint64_t step) { return at / step * step; };
  const uint64_t x = corner(block % grid.x, size.x), y = corner(block / grid.x % grid.y, size.y),
                 z = corner(block / grid.x / grid.y, size.z);
  std::vector<uint64_t> blocks;
  for (uint64_t dz = 0; dz < size.z; ++dz)
    for (uint64_t dy = 0; dy < size.y; ++dy)
      for (uint64_t dx = 0; dx < size.x; ++dx)
        blocks.push_back(x + dx + grid.x * (y + dy + grid.y * (z + dz)));
  return blocks;
}

void completeClusterBarrier(const std::vector<ClusterMate> &cluster) {
  std::vector<std::pair<ClusterMate, KnownRef>> arrived;
  for (const ClusterMate &mate : cluster)
    if (mate.barriers.open(vm::ClusterBarrier))
      arrived.push_back({mate, mate.barriers.takeGathered(vm::ClusterBarrier)});
  for (auto &[mate, own] : arrived) {
    Known all = *own;
    for (auto &[other, theirs] : arrived)
      if (&other.order != &mate.order)
        all.joinForeign(other.order.actor(), *theirs);
    const KnownRef known = std::move(all).settle();
    for (unsigned w = 0; w < mate.order.warps(); ++w) {
      if (const uint32_t waited = mate.barriers.waited(vm::ClusterBarrier)[w])
        mate.order.learn(w, waited, known);
      mate.order.acted(w);
    }
  }
}

} // namespace heddle::check
