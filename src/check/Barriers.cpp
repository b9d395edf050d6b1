// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hardware barriers and meetings of lanes.
//
// Whoever comes to a barrier brings what it knows; whoever waits leaves with the union. Who only arrives
// learns nothing. That a round of a barrier completed is itself something to know: those who waited know it,
// others learn it from them. A thread that comes to the next round without knowing may be counted in the last
// one under another schedule, whatever happened in this one (safe recycling in the sense of the Weft
// verifier).
//
// A thread that has ended counts as having come to every barrier of the whole block, whatever it did before.
// One that goes round a barrier and then ends does not: see BarrierPaths.cpp.
#include "check/Parts.h"
#include "vm/Lanes.h"

#include <algorithm>

namespace heddle::check {
namespace {

using vm::BarrierEvent;

uint32_t lanesIn(const std::vector<uint32_t> &lanes, unsigned warp) {
  return warp < lanes.size() ? lanes[warp] : 0;
}

std::string warpsText(const std::vector<uint32_t> &lanes) {
  std::string text;
  for (size_t w = 0; w < lanes.size(); ++w)
    if (lanes[w])
      text += fmt::format("{}{}", text.empty() ? "" : ", ", w);
  return text;
}

} // namespace

void Checker::Parts::reachBarrier(const Scene &scene, const BarrierEvent &event) {
  BlockState &block = scene.block;
  WarpState &warp = scene.warp;
  BarrierState &barrier = block.barriers[event.barrier];
  // The cluster's barrier has its wait in another instruction; who arrives there waits in the end.
  const bool waits = event.kind != BarrierEvent::Kind::Arrive || event.barrier == vm::ClusterBarrier;
  const std::string number = fmt::format("barrier {}", event.barrier);
  if (const uint32_t late = warp.passedBarrier & event.mask) {
    // Lanes that were missing come to the same barrier after all, or to another.
    if (scene.place != warp.passedPlace && event.aligned)
      passedBy(scene);
    warp.passedBarrier &= ~late;
  } else if (event.divergent && barrier.waiting.size() > warp.index && barrier.gathered &&
             barrier.waiting[warp.index]) {
    // the rest of a warp whose first lanes have been counted
  } else if (event.divergent) {
    warp.passedBarrier |= warp.alive() & ~event.mask;
    warp.passedPlace = scene.place;
  }

  // Is it certain that the last round is over?
  const unsigned first = vm::firstLane(event.mask);
  if (barrier.completed && event.barrier != vm::ClusterBarrier &&
      !warp.known(first)->own.knows(block.barrierWarp(), event.barrier, barrier.completed)) {
    const bool tookPart = lanesIn(barrier.last, warp.index) & event.mask;
    const Rule rule = tookPart ? Rule::BarrierReused : Rule::BarrierOversubscribed;
    if (isNew(rule, scene.place, barrier.lastPlace))
      tell(rule, scene.launch, scene.place,
           tookPart
               ? fmt::format(
                     "warp {} of {} comes to {} again, and nothing tells it that the round before is over",
                     warp.index, blockName(scene.launch.grid, block.index), number)
               : fmt::format("warp {} of {} comes to {} unordered with a round that completed without it: "
                             "more threads "
                             "come than the {} it is given",
                             warp.index, blockName(scene.launch.grid, block.index), number,
                             event.expectedThreads ? fmt::format("{} threads", event.expectedThreads)
                                                   : "threads of the block"),
           barrier.lastPlace, fmt::format("the round before: warps {}", warpsText(barrier.last)),
           tookPart ? "wait for something that comes after that round before arriving again, or use a second "
                      "barrier"
                    : "count every warp that arrives or waits, or use another barrier");
  }

  if (barrier.gathered && barrier.expected != event.expectedThreads) {
    scene.launch.countTold = true;
    auto count = [](uint32_t threads) {
      return threads ? fmt::format("{} threads", threads) : std::string("the whole block");
    };
    if (isNew(Rule::BarrierCount, scene.place, barrier.firstPlace))
      tell(Rule::BarrierCount, scene.launch, scene.place,
           fmt::format("warp {} of {} comes to {} as one for {}, while others wait at it as one for {}",
                       warp.index, blockName(scene.launch.grid, block.index), number,
                       count(event.expectedThreads), count(barrier.expected)),
           barrier.firstPlace, "the others came here",
           "all threads that meet at a barrier have to give it the same count");
  }
  if (!barrier.gathered) {
    barrier.expected = event.expectedThreads;
    barrier.gathered = *warp.known(first);
    barrier.waiting.assign(block.warps.size(), 0);
    barrier.arrived.assign(block.warps.size(), 0);
    barrier.firstPlace = scene.place;
    barrier.places.clear();
    barrier.whole = event.expectedThreads == 0 && event.barrier == 0;
    barrier.anyWaits = false;
  } else if (barrier.whole && event.expectedThreads == 0 && scene.place != barrier.firstPlace &&
             places.of(scene.place).str() != places.of(barrier.firstPlace).str() &&
             isNew(Rule::BarrierInRole, scene.place, barrier.firstPlace)) {
    scene.launch.roleTold = true;
    tell(Rule::BarrierInRole, scene.launch, scene.place,
         fmt::format("warp {} waits for the whole block here, while others of {} do so at another place",
                     warp.index, blockName(scene.launch.grid, block.index)),
         barrier.firstPlace, "the other place",
         "__syncthreads() must be reached by all threads alike; warps with roles of their own need named "
         "barriers");
  }
  (waits ? barrier.waiting : barrier.arrived)[warp.index] |= event.mask;
  barrier.anyWaits |= waits;
  if (barrier.whole) {
    if (std::find(barrier.places.begin(), barrier.places.end(), scene.place) == barrier.places.end())
      barrier.places.push_back(scene.place);
    for (WarpState::Turn &turn : warp.turns)
      turn.lanes &= ~event.mask;
  }

  // What has been seen with atomics counts from a barrier on.
  if (warp.sync)
    vm::eachLane(event.mask, [&](unsigned lane) { takeSeen(scene, lane, vm::Scope::Device, true); });
  if (warp.uniform)
    barrier.gathered->join(*warp.all);
  else
    vm::eachLane(event.mask, [&](unsigned lane) { barrier.gathered->join(*warp.lanes[lane]); });
  // What a thread does between arriving at the cluster's barrier and waiting there is not ordered by it.
  if (waits && event.barrier != vm::ClusterBarrier)
    return;
  const uint32_t lanes = event.mask == warp.alive() ? ~0u : event.mask;
  barrier.gathered->own.raiseLanes(warp.index, lanes, block.release(warp));
}

void Checker::Parts::completeBarrier(LaunchState &launch, BlockState &block, unsigned number) {
  BarrierState &barrier = block.barriers[number];
  if (!barrier.gathered)
    return;
  if (number == vm::ClusterBarrier && launch.inClusters)
    return completeClusterBarrier(launch, block);
  if (!barrier.anyWaits && number != vm::ClusterBarrier &&
      isNew(Rule::BarrierNoWaiter, barrier.firstPlace, 0))
    tell(Rule::BarrierNoWaiter, launch, barrier.firstPlace,
         fmt::format("barrier {} completes in {} although nobody waits at it: everyone only arrives", number,
                     blockName(launch.grid, block.index)),
         0, {}, "the threads that depend on the others have to use bar.sync");
  if (barrier.whole)
    tellWhoWentRound(launch, block, barrier);
  const Stamp now = block.time++;
  Known &gathered = *barrier.gathered;
  for (WarpState &warp : block.warps) {
    const uint32_t waited = barrier.waiting[warp.index];
    const uint32_t gone = barrier.whole ? warp.present & ~warp.alive() : 0;
    // Threads that are gone count as there, and what they did as done.
    if (waited == warp.alive() && (waited || gone))
      gathered.own.raiseWarp(warp.index, now);
    else if (waited)
      gathered.own.raiseLanes(warp.index, waited, now);
  }
  if (number != vm::ClusterBarrier)
    gathered.own.raiseLanes(block.barrierWarp(), 1u << number, now);
  const KnownRef known = std::move(gathered).settle();
  for (WarpState &warp : block.warps) {
    if (!barrier.waiting[warp.index])
      continue;
    warp.setLanes(barrier.waiting[warp.index], known);
    warp.stamp = block.time;
    warp.dirty = false;
  }
  barrier.last.assign(block.warps.size(), 0);
  for (size_t w = 0; w < block.warps.size(); ++w)
    barrier.last[w] = barrier.waiting[w] | barrier.arrived[w];
  barrier.completed = now;
  barrier.lastPlace = barrier.firstPlace;
  barrier.gathered.reset();
}

/// Lanes that were missing at a barrier of their warp come to another one, or never.
void Checker::Parts::passedBy(const Scene &scene) {
  WarpState &warp = scene.warp;
  if (isNew(Rule::BarrierDivergent, warp.passedPlace, 0))
    tell(Rule::BarrierDivergent, scene.launch, warp.passedPlace,
         fmt::format("only some threads of warp {} of {} come to this barrier; {} others go on elsewhere",
                     warp.index, blockName(scene.launch.grid, scene.block.index),
                     vm::countLanes(warp.passedBarrier)),
         scene.place, "the others are here",
         "move the barrier out of the branch, so that all threads reach it");
  warp.passedBarrier = 0;
}

void Checker::Parts::turn(const Scene &scene, uint32_t site, uint32_t mask, uint32_t taken) {
  auto note = [&](bool way, uint32_t lanes) {
    if (!lanes)
      return;
    for (WarpState::Turn &turn : scene.warp.turns)
      if (turn.site == site && turn.taken == way) {
        turn.lanes |= lanes;
        return;
      }
    scene.warp.turns.push_back({site, way, lanes});
  };
  note(true, taken);
  note(false, mask & ~taken);
}

void Checker::Parts::tellWhoWentRound(LaunchState &launch, BlockState &block, const BarrierState &barrier) {
  for (WarpState &warp : block.warps) {
    for (WarpState::Turn &turn : warp.turns) {
      const uint32_t gone = turn.lanes & ~barrier.waiting[warp.index];
      for (uint32_t place : barrier.places) {
        if (!gone || !launch.facts->paths.passesBy(turn.site, turn.taken, place - launch.firstPlace) ||
            !isNew(Rule::BarrierDivergent, place, 0))
          continue;
        tell(Rule::BarrierDivergent, launch, place,
             fmt::format("only some threads of {} come to this barrier: {} takes another way and {}",
                         blockName(launch.grid, block.index),
                         threadName(launch.block, warp.index * 32 + vm::firstLane(gone)),
                         gone & warp.exited ? "ends without it" : "does not come"),
             launch.firstPlace + turn.site, "the ways part here",
             "move the barrier out of the branch or loop, so that all threads reach it");
      }
      turn.lanes = 0;
    }
    warp.turns.clear();
  }
}

void Checker::Parts::leave(const Scene &scene, uint32_t mask) {
  scene.warp.passedBarrier &= ~mask;
  scene.warp.exited |= mask;
}

void Checker::Parts::meet(const Scene &scene, const vm::WarpSyncEvent &event) {
  WarpState &warp = scene.warp;
  if (event.badSources && isNew(Rule::WarpShuffleSource, scene.place, 0)) {
    const unsigned lane = vm::firstLane(event.badSources);
    tell(Rule::WarpShuffleSource, scene.launch, scene.place,
         fmt::format("{} of {} shuffles from a lane that is not there: it ended, is not in the mask "
                     "{:#010x}, or the block "
                     "has no such thread",
                     threadName(scene.launch.block, warp.index * 32 + lane),
                     blockName(scene.launch.grid, scene.block.index), event.members),
         0, {}, "what comes back is undefined; let all lanes that are read from take part");
  }
  if (event.waits) {
    warp.awaited |= event.members & warp.alive() & ~event.mask;
    return;
  }
  if (const uint32_t gone = event.members & ~event.here & warp.busy;
      gone && isNew(Rule::WarpMask, scene.place, 0))
    tell(
        Rule::WarpMask, scene.launch, scene.place,
        fmt::format(
            "the mask {:#010x} of warp {} of {} names {} lanes that never come: they go on elsewhere and end",
            event.members, warp.index, blockName(scene.launch.grid, scene.block.index), vm::countLanes(gone)),
        0, {}, "the mask of a _sync operation names exactly the lanes that execute it");
  warp.awaited &= ~event.members, warp.busy &= ~event.members;
  const uint32_t here = event.here & warp.alive();
  if (here == warp.alive() && warp.uniform && !warp.dirty)
    return; // they know the same, and nothing happened since
  const Stamp now = scene.block.release(warp);
  Known together = *warp.known(vm::firstLane(here));
  if (!warp.uniform)
    vm::eachLane(here & (here - 1), [&](unsigned lane) { together.join(*warp.lanes[lane]); });
  together.own.raiseLanes(warp.index, here == warp.alive() ? ~0u : here, now);
  warp.setLanes(here, std::move(together).settle());
  warp.dirty = here != warp.alive();
}

} // namespace heddle::check
