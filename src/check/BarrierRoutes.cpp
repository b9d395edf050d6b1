// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier in a branch is wrong where some threads go the other way, even if the run goes on because they end
// soon after (the hardware counts threads that have ended as arrived). Two observations find it:
//
//  - within a warp, at a barrier that is reached by some lanes while others of the warp live: they are
//    remembered until they come to the same barrier after all. Coming to another one, or to none, is a finding;
//  - within a block, ways taken since the last block barrier at the branches that decide about one: when the
//    barrier completes, a thread that did not wait there and took a way that cannot lead there (BarrierPaths.cpp
//    knows from the code) went round it.
#include "check/BarrierRoutes.h"

#include "vm/Lanes.h"

namespace heddle::check {

void BarrierRoutes::note(Route &route, uint32_t site, bool way, uint32_t lanes) {
  if (!lanes)
    return;
  for (Branch &branch : route.branches)
    if (branch.site == site && branch.taken == way) {
      branch.lanes |= lanes;
      return;
    }
  route.branches.push_back({site, way, lanes});
}

void BarrierRoutes::branch(unsigned warp, uint32_t site, uint32_t mask, uint32_t taken) {
  note(routes[warp], site, true, taken);
  note(routes[warp], site, false, mask & ~taken);
}

void BarrierRoutes::reach(const Where &at, const vm::BarrierEvent &event, uint32_t alive, bool joins,
                          Reporter &reporter) {
  Route &route = routes[at.warp];
  if (const uint32_t late = route.passed & event.mask) {
    // Lanes that were missing come to the same barrier after all, or to another.
    if (at.instrId != route.instrId && event.aligned)
      reportPassed(at, route, reporter);
    route.passed &= ~late;
  } else if (event.divergent && !joins) {
    route.passed |= alive & ~event.mask;
    route.instrId = at.instrId;
  }
}

void BarrierRoutes::reachedBlockBarrier(unsigned warp, uint32_t mask) {
  for (Branch &branch : routes[warp].branches)
    branch.lanes &= ~mask;
}

void BarrierRoutes::reportPassed(const Where &at, Route &route, Reporter &reporter) {
  if (reporter.isNew(Rule::BarrierDivergent, route.instrId, 0))
    reporter.report(Rule::BarrierDivergent, at.launch, route.instrId,
                    fmt::format("barrier in divergent code: only some threads of warp {} of {} reach this "
                                "barrier; {} others continue "
                                "elsewhere",
                                at.warp, at.blockText(), vm::countLanes(route.passed)),
                    at.instrId, "the others are here",
                    "move the barrier out of the branch, so that all threads reach it");
  route.passed = 0;
}

void BarrierRoutes::reportMissing(const LaunchFacts &launch, uint64_t block,
                                  const BlockBarriers::Round &round, const BlockOrder &order,
                                  Reporter &reporter) {
  for (unsigned w = 0; w < routes.size(); ++w) {
    for (const Branch &branch : routes[w].branches) {
      const uint32_t gone = branch.lanes & ~round.waiting[w];
      for (uint32_t instrId : round.instrIds) {
        if (!gone || !launch.code->paths.passesBy(branch.site, branch.taken, instrId - launch.firstInstrId) ||
            !reporter.isNew(Rule::BarrierDivergent, instrId, 0))
          continue;
        reporter.report(Rule::BarrierDivergent, launch, instrId,
                        fmt::format("barrier in divergent code: {} of {} {} this barrier",
                                    threadName(launch.block, w * 32 + vm::firstLane(gone)),
                                    blockName(launch.grid, block),
                                    gone & order.exited(w) ? "bypasses" : "does not reach"),
                        launch.firstInstrId + branch.site, "the threads diverge here",
                        "move the barrier out of the branch or loop, so that all threads reach it");
      }
    }
    routes[w].branches.clear();
  }
}

void BarrierRoutes::reportPassed(const LaunchFacts &launch, uint64_t block,
                                 const std::function<uint32_t(unsigned)> &polling, Reporter &reporter) {
  for (unsigned w = 0; w < routes.size(); ++w) {
    routes[w].passed &= ~polling(w);
    if (routes[w].passed)
      reportPassed({launch, block, launch.firstActor + uint32_t(block), w, routes[w].instrId}, routes[w],
                   reporter);
  }
}

} // namespace heddle::check
