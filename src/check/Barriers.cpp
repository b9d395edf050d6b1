// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds of hardware barriers.
//
// A thread that arrives at a barrier brings what it knows; one that waits leaves with the union. Who only arrives
// learns nothing. That a round of a barrier completed is itself something to know: those who waited know it,
// others learn it from them. A thread that comes to the next round without knowing may be counted in the last
// one under another schedule, whatever happened in this one (safe recycling in the sense of the Weft
// verifier).
//
// A thread that has ended counts as having come to every barrier of the whole block, whatever it did before.
// One that goes round a barrier and then ends does not: see BarrierRoutes.cpp.
#include "check/Barriers.h"

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

std::string countText(uint32_t threads) {
  return threads ? fmt::format("{} threads", threads) : std::string("the whole block");
}

/// The cluster's barrier has its wait in another instruction; who arrives there waits in the end.
bool waits(const BarrierEvent &event) {
  return event.kind != BarrierEvent::Kind::Arrive || event.barrier == vm::ClusterBarrier;
}

/// The first threads arrive. The round has what is left of the one before, so that nothing is allocated again.
void beginRound(BlockBarriers::Round &round, const Where &at, const BarrierEvent &event,
                const BlockOrder &order) {
  round.contained = order.known(at.warp, vm::firstLane(event.mask));
  round.gathered = *round.contained;
  round.waiting.assign(order.warps(), 0);
  round.arrived.assign(order.warps(), 0);
  round.expected = event.expectedThreads;
  round.firstInstrId = at.instrId;
  round.instrIds.clear();
  round.whole = event.expectedThreads == 0 && event.barrier == 0;
  round.anyWaits = false;
}

} // namespace

const BlockBarriers::Round *BlockBarriers::open(unsigned number) const {
  const Round &round = barriers[number].now;
  return round.gathered ? &round : nullptr;
}

/// Is it certain that the last round is over?
void BlockBarriers::inspectLastRound(const Where &at, const BarrierEvent &event, const BlockOrder &order,
                                     Reporter &reporter) const {
  const Barrier &barrier = barriers[event.barrier];
  const unsigned first = vm::firstLane(event.mask);
  if (!barrier.completed || event.barrier == vm::ClusterBarrier ||
      order.known(at.warp, first)->own.knows(order.barrierWarp(), event.barrier, barrier.completed))
    return;
  const bool tookPart = lanesIn(barrier.last, at.warp) & event.mask;
  const Rule rule = tookPart ? Rule::BarrierReused : Rule::BarrierOversubscribed;
  if (!reporter.isNew(rule, at.instrId, barrier.lastInstrId))
    return;
  const std::string number = fmt::format("barrier {}", event.barrier);
  reporter.report(
      rule, at.launch, at.instrId,
      tookPart
          ? fmt::format("warp {} of {} arrives at {} again, and nothing orders this after the end of "
                        "the previous round",
                        at.warp, at.blockText(), number)
          : fmt::format("warp {} of {} arrives at {}, and nothing orders this with a round that "
                        "completed without it: more threads arrive than {}",
                        at.warp, at.blockText(), number,
                        event.expectedThreads ? fmt::format("its count of {} threads", event.expectedThreads)
                                              : "the block has"),
      barrier.lastInstrId, fmt::format("the previous round: warps {}", warpsText(barrier.last)),
      tookPart ? "synchronize with the warps of the previous round before arriving again, or use a second "
                 "barrier"
               : "count every warp that arrives or waits, or use another barrier");
}

bool BlockBarriers::inspect(const Where &at, const BarrierEvent &event, const BlockOrder &order,
                            Reporter &reporter) const {
  inspectLastRound(at, event, order, reporter);
  const Round *round = open(event.barrier);
  if (!round)
    return false;
  const bool countsDiffer = round->expected != event.expectedThreads;
  if (countsDiffer && reporter.isNew(Rule::BarrierCount, at.instrId, round->firstInstrId))
    reporter.report(Rule::BarrierCount, at.launch, at.instrId,
                    fmt::format("warp {} of {} uses barrier {} for {}, while others wait at it for {}",
                                at.warp, at.blockText(), event.barrier, countText(event.expectedThreads),
                                countText(round->expected)),
                    round->firstInstrId, "the others wait here",
                    "all threads that synchronize at a barrier must give it the same count");
  if (round->whole && event.expectedThreads == 0 && at.instrId != round->firstInstrId &&
      reporter.locationOf(at.instrId).str() != reporter.locationOf(round->firstInstrId).str() &&
      reporter.isNew(Rule::BarrierInRole, at.instrId, round->firstInstrId))
    reporter.report(
        Rule::BarrierInRole, at.launch, at.instrId,
        fmt::format("warp {} waits for the whole block here, while others of {} do so at another source line",
                    at.warp, at.blockText()),
        round->firstInstrId, "the other source location",
        "__syncthreads() must be reached by all threads alike; warps with roles of their own need named "
        "barriers");
  return countsDiffer;
}

void BlockBarriers::arrive(const Where &at, const BarrierEvent &event, BlockOrder &order) {
  Round &round = barriers[event.barrier].now;
  if (!round.gathered)
    beginRound(round, at, event, order);
  (waits(event) ? round.waiting : round.arrived)[at.warp] |= event.mask;
  round.anyWaits |= waits(event);
  if (round.whole && std::ranges::find(round.instrIds, at.instrId) == round.instrIds.end())
    round.instrIds.push_back(at.instrId);
  // Warps that came from the same barrier share what they know.
  if (order.known(at.warp, vm::firstLane(event.mask)) != round.contained || !order.isUniform(at.warp))
    order.gather(*round.gathered, at.warp, event.mask);
  // What a thread does between arriving at the cluster's barrier and waiting there is not ordered by it.
  if (waits(event) && event.barrier != vm::ClusterBarrier)
    return;
  const uint32_t lanes = event.mask == order.alive(at.warp) ? ~0u : event.mask;
  round.gathered->own.raiseLanes(at.warp, lanes, order.release(at.warp));
}

void BlockBarriers::complete(const LaunchFacts &launch, uint64_t block, unsigned number, BlockOrder &order,
                             Reporter &reporter) {
  Barrier &barrier = barriers[number];
  Round &round = barrier.now;
  if (!round.anyWaits && number != vm::ClusterBarrier &&
      reporter.isNew(Rule::BarrierNoWaiter, round.firstInstrId, 0))
    reporter.report(
        Rule::BarrierNoWaiter, launch, round.firstInstrId,
        fmt::format("barrier {} completes in {} although no thread waits at it: all threads only arrive",
                    number, blockName(launch.grid, block)),
        0, {}, "the threads that depend on the others have to use bar.sync");
  const Stamp now = order.tick();
  Known &gathered = *round.gathered;
  for (unsigned w = 0; w < order.warps(); ++w) {
    const uint32_t waited = round.waiting[w], gone = round.whole ? order.exited(w) : 0;
    // Threads that are gone count as there, and what they did as done.
    if (waited == order.alive(w) && (waited || gone))
      gathered.own.raiseWarp(w, now);
    else if (waited)
      gathered.own.raiseLanes(w, waited, now);
  }
  if (number != vm::ClusterBarrier)
    gathered.own.raiseLanes(order.barrierWarp(), 1u << number, now);
  const KnownRef known = std::move(gathered).settle();
  barrier.last.assign(order.warps(), 0);
  for (unsigned w = 0; w < order.warps(); ++w) {
    if (round.waiting[w])
      order.synchronize(w, round.waiting[w], known);
    barrier.last[w] = round.waiting[w] | round.arrived[w];
  }
  barrier.completed = now;
  barrier.lastInstrId = round.firstInstrId;
  round.gathered.reset();
}

KnownRef BlockBarriers::takeGathered(unsigned number) {
  Round &round = barriers[number].now;
  KnownRef known = std::move(*round.gathered).settle();
  round.gathered.reset();
  return known;
}

} // namespace heddle::check
