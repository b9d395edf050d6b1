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
#include "check/Parts.h"
#include "vm/Lanes.h"

namespace heddle::check {
namespace {

using vm::AccessEvent;
using vm::AccessKind;

/// Shared memory of a block of a cluster, as the shadow numbers it.
constexpr unsigned OffsetBits = 24;
uint64_t addressIn(uint64_t home, uint64_t offset) { return (home + 1) << OffsetBits | offset; }

bool isWrite(const AccessEvent &event) { return event.kind != AccessKind::Load; }
bool isAtomic(const AccessEvent &event) {
  return event.kind == AccessKind::Atomic || event.kind == AccessKind::Reduction;
}

class ClusterJudge final : public GlobalJudge {
public:
  ClusterJudge(Checker::Parts &checker, const Scene &where, const AccessEvent &what, uint64_t homeBlock)
      : parts(checker), scene(where), event(what), home(homeBlock) {}

  bool knows(unsigned lane, const GlobalPast &past) override {
    const Known &known = *scene.warp.known(lane);
    const BlockClock *clock = past.actor == scene.block.actor ? &known.own : known.of(past.actor);
    return clock && clock->knows(past.thread / 32, past.thread % 32, past.stamp);
  }

  bool clash(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) override {
    const bool insideOneBlock = home == scene.block.index && past.actor == scene.block.actor;
    if (past.sameValue || past.sameInstruction || insideOneBlock ||
        (isAtomic(event) && past.strength == Strength::Atomic) || scene.launch.clusterFlagged)
      return false;
    const uint64_t other = past.actor - scene.launch.firstActor;
    const Side me{&scene.launch, scene.block.index, scene.warp.index * 32 + lane,
                  scene.place,   isWrite(event),    isAtomic(event)};
    const Side theirs{&scene.launch, other,      past.thread,
                      past.place,    pastWrites, past.strength == Strength::Atomic};
    if (!parts.wasTold(Rule::RaceCluster, me.place, theirs.place))
      parts.tellRace(Rule::RaceCluster, me, theirs,
                     fmt::format("{} of {}",
                                 sharedName(*scene.launch.kernel, address & ((1u << OffsetBits) - 1),
                                            event.bytes / std::max(1u, event.elements)),
                                 blockName(scene.launch.grid, home)),
                     "a cluster barrier (cluster.sync()) between the two orders them");
    return true;
  }
  bool unwritten(unsigned, uint64_t, uint32_t) override { return true; }
  void startsWritten(uint64_t, uint64_t (&)[64]) override {}
  void incoherent(unsigned, uint64_t, const GlobalPast &, bool) override {}
  CellValue stored(unsigned, uint64_t, unsigned) override { return std::nullopt; }
  CellValue held(unsigned, uint64_t, unsigned) override { return std::nullopt; }

private:
  Checker::Parts &parts;
  const Scene &scene;
  const AccessEvent &event;
  const uint64_t home;
};

} // namespace

void Checker::Parts::accessCluster(const Scene &scene, const AccessEvent &event, uint64_t home) {
  const bool ordering = event.ordering != vm::Ordering::Weak && !isAtomic(event);
  if ((home != scene.block.index && ordering) || !scene.block.mbarriers.empty())
    scene.launch.clusterFlagged = true;
  uint64_t addresses[32];
  vm::eachLane(event.mask, [&](unsigned lane) { addresses[lane] = addressIn(home, event.addresses[lane]); });
  ClusterJudge judge(*this, scene, event, home);
  GlobalTouch touch;
  touch.mask = event.mask, touch.bytes = event.bytes, touch.addresses = addresses;
  touch.self.actor = scene.block.actor, touch.self.stamp = scene.warp.stamp, touch.self.place = scene.place;
  touch.self.thread = uint16_t(scene.warp.index * 32);
  touch.self.strength = isAtomic(event) ? Strength::Atomic : ordering ? Strength::Relaxed : Strength::Weak;
  touch.self.scope = vm::Scope::Cluster;
  touch.known = scene.warp.leastKnown();
  touch.orderedBelow = touch.firstActor = scene.launch.firstActor;
  if (isWrite(event))
    scene.launch.clusterShared.write(touch, judge, false);
  else
    scene.launch.clusterShared.read(touch, judge, false);
}

std::vector<BlockState *> Checker::Parts::clusterOf(LaunchState &launch, const BlockState &block) const {
  const vm::Dim3 &grid = launch.grid, &size = launch.cluster;
  auto corner = [](uint64_t at, uint64_t step) { return at / step * step; };
  const uint64_t x = corner(block.index % grid.x, size.x), y = corner(block.index / grid.x % grid.y, size.y),
                 z = corner(block.index / grid.x / grid.y, size.z);
  std::vector<BlockState *> mates;
  for (uint64_t dz = 0; dz < size.z; ++dz)
    for (uint64_t dy = 0; dy < size.y; ++dy)
      for (uint64_t dx = 0; dx < size.x; ++dx)
        if (auto at = launch.states.find(x + dx + grid.x * (y + dy + grid.y * (z + dz)));
            at != launch.states.end())
          mates.push_back(at->second.get());
  return mates;
}

/// Comes once for each block of the cluster; the first time does the work.
void Checker::Parts::completeClusterBarrier(LaunchState &launch, const BlockState &block) {
  std::vector<std::pair<BlockState *, KnownRef>> arrived;
  for (BlockState *mate : clusterOf(launch, block)) {
    BarrierState &barrier = mate->barriers[vm::ClusterBarrier];
    if (!barrier.gathered)
      continue;
    arrived.push_back({mate, std::move(*barrier.gathered).settle()});
    barrier.gathered.reset();
  }
  for (auto &[mate, own] : arrived) {
    Known all = *own;
    for (auto &[other, theirs] : arrived)
      if (other != mate)
        all.joinForeign(other->actor, *theirs);
    const KnownRef known = std::move(all).settle();
    for (WarpState &warp : mate->warps) {
      const uint32_t waited = mate->barriers[vm::ClusterBarrier].waiting[warp.index];
      if (waited)
        warp.setLanes(waited, known);
      warp.dirty = true;
    }
  }
}

} // namespace heddle::check
