// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of a warp mostly know the same, since they mostly synchronize together: then the warp has one clock.
// Lanes get clocks of their own when some of them learn something alone, and the warp goes back to one clock
// when all of its living lanes are given the same one.
#include "check/BlockOrder.h"

#include "vm/Lanes.h"

#include <algorithm>

namespace heddle::check {

Stamp BlockOrder::begin(unsigned threads, uint32_t blockActor) {
  const unsigned count = (threads + 31) / 32;
  self = blockActor;
  const Stamp start = ++time;
  time = start + 1;
  Known fresh;
  fresh.own = BlockClock(count, PseudoWarps, start);
  initial = std::move(fresh).settle();
  clocks.clear();
  clocks.resize(count);
  for (unsigned w = 0; w < count; ++w) {
    clocks[w].present = threads - w * 32 >= 32 ? ~0u : (1u << (threads - w * 32)) - 1;
    clocks[w].stamp = time;
    clocks[w].all = initial;
  }
  return start;
}

Stamp BlockOrder::leastKnown(unsigned warp) const {
  const WarpClock &clock = clocks[warp];
  if (clock.uniform)
    return clock.all->least;
  Stamp least = ~Stamp(0);
  vm::eachLane(clock.alive(), [&](unsigned lane) { least = std::min(least, clock.lanes[lane]->least); });
  return least;
}

Stamp BlockOrder::knownToAll() const {
  Stamp least = ~Stamp(0);
  for (unsigned warp = 0; warp < warps(); ++warp)
    if (alive(warp))
      least = std::min(least, leastKnown(warp));
  return least;
}

bool BlockOrder::knowsOthers(unsigned warp) const {
  const WarpClock &clock = clocks[warp];
  if (clock.uniform)
    return clock.all->foreign != nullptr;
  bool found = false;
  vm::eachLane(clock.alive(), [&](unsigned lane) { found |= clock.lanes[lane]->foreign != nullptr; });
  return found;
}

void BlockOrder::gather(Known &into, unsigned warp, uint32_t mask) const {
  const WarpClock &clock = clocks[warp];
  if (clock.uniform)
    into.join(*clock.all);
  else
    vm::eachLane(mask, [&](unsigned lane) { into.join(*clock.lanes[lane]); });
}

void BlockOrder::learn(unsigned warp, uint32_t mask, const KnownRef &known) {
  WarpClock &clock = clocks[warp];
  if ((mask & clock.alive()) == clock.alive()) {
    clock.all = known;
    clock.uniform = true;
    return;
  }
  if (clock.uniform) {
    clock.lanes.fill(clock.all);
    clock.uniform = false;
  }
  vm::eachLane(mask, [&](unsigned lane) { clock.lanes[lane] = known; });
  const uint32_t living = clock.alive();
  const KnownRef &first = clock.lanes[vm::firstLane(living ? living : 1)];
  bool same = true;
  vm::eachLane(living, [&](unsigned lane) { same &= clock.lanes[lane] == first; });
  if (same)
    clock.all = first, clock.uniform = true;
}

void BlockOrder::synchronize(unsigned warp, uint32_t mask, const KnownRef &known) {
  learn(warp, mask, known);
  clocks[warp].stamp = time;
  clocks[warp].dirty = false;
}

void BlockOrder::synchronize(unsigned warp, uint32_t here) {
  WarpClock &clock = clocks[warp];
  here &= clock.alive();
  if (here == clock.alive() && clock.uniform && !clock.dirty)
    return; // they know the same, and nothing happened since
  const Stamp now = release(warp);
  Known together = *clock.known(vm::firstLane(here));
  if (!clock.uniform)
    vm::eachLane(here & (here - 1), [&](unsigned lane) { together.join(*clock.lanes[lane]); });
  together.own.raiseLanes(warp, here == clock.alive() ? ~0u : here, now);
  learn(warp, here, std::move(together).settle());
  clock.dirty = here != clock.alive();
}

} // namespace heddle::check
