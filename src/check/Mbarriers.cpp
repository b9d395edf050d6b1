// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarriers (PTX ISA, "mbarrier"): arrivals of a phase happen before the waits that see it end, and so do
// copies whose bytes the phase waited for.
//
// That is the easy half. The other is that a wait names a phase by its parity alone: phase 4 and phase 6 look
// the same. A wait is right if the thread cannot be so late that the phase after the one it means is over too.
// So each wait is given the phase it means, from what the thread knows to be over by then, and when the next
// phase ends, those who end it must know that the wait has passed. If they need not, another schedule lets
// the waiter take one phase for another, whatever happened in this one. Three mistakes look like that: the
// first wait with the wrong parity, a phase bit that is not carried over an outer loop, and a waiter that no thread waits
// for.
//
// An arrival has the same problem: it has to know that the last phase is over, else it may be one too many
// for it.
#include "check/Mbarriers.h"

#include "ptx/Module.h"
#include "vm/Lanes.h"

#include <algorithm>

namespace heddle::check {
namespace {

using Kind = vm::MbarrierEvent::Kind;

bool isRelaxed(const InstructionTable &instructions, uint32_t instrId) {
  const ptx::Instr *instruction = instructions.instruction(instrId);
  return instruction && instruction->mods.sem == ptx::Semantics::Relaxed;
}

} // namespace

Mbarriers::Mbarrier &Mbarriers::at(uint32_t offset) {
  auto [at, fresh] = byOffset.try_emplace(offset);
  if (fresh)
    at->second.slot = unsigned(byOffset.size() - 1);
  return at->second;
}

void Mbarriers::on(const Where &where, const vm::MbarrierEvent &event, const InstructionTable &instructions,
                   BlockOrder &order, Reporter &reporter) {
  const unsigned lane = vm::firstLane(event.mask);
  const uint32_t offset = uint32_t(event.addresses[lane]);
  const Use use{where, lane, offset, at(offset)};
  Mbarrier &mbarrier = use.mbarrier;
  if (event.kind != Kind::Init && event.kind != Kind::Invalidate && event.kind != Kind::Completed)
    checkInitialized(use, order, reporter);
  switch (event.kind) {
  case Kind::Init: return initialize(use, event.count, order, reporter);
  case Kind::Invalidate: mbarrier.valid = false; return;
  case Kind::Arrive: return arrive(use, event.count, isRelaxed(instructions, where.instrId), order, reporter);
  case Kind::ExpectTx:
    mbarrier.bytes += event.count;
    mbarrier.expectInstrId = where.instrId;
    return;
  case Kind::CompleteTx: mbarrier.bytes += event.count; return; // a negative number
  case Kind::Completed: return complete(use, order, reporter);
  case Kind::Wait:
  case Kind::WaitFailed: return wait(use, event, instructions, order, reporter);
  default: return;
  }
}

void Mbarriers::initialize(const Use &use, int64_t count, BlockOrder &order, Reporter &reporter) {
  Mbarrier &mbarrier = use.mbarrier;
  if (mbarrier.valid && reporter.isNew(Rule::MbarrierInvalid, use.at.instrId, mbarrier.initInstrId))
    reporter.report(Rule::MbarrierInvalid, use.at.launch, use.at.instrId,
                    fmt::format("mbarrier {} is initialized again while it is in use", use.name()),
                    mbarrier.initInstrId, "initialized here",
                    "mbarrier.inval it first, when no thread uses it any more");
  Mbarrier fresh;
  fresh.slot = mbarrier.slot;
  fresh.valid = fresh.wasValid = true;
  fresh.expected = fresh.pending = count;
  fresh.initThread = use.thread();
  fresh.initStamp = order.stampOf(use.at.warp);
  fresh.initInstrId = use.at.instrId;
  mbarrier = std::move(fresh);
  order.acted(use.at.warp);
}

/// A thread that uses it must know that it was initialized.
void Mbarriers::checkInitialized(const Use &use, const BlockOrder &order, Reporter &reporter) {
  const Mbarrier &mbarrier = use.mbarrier;
  if (!mbarrier.valid || use.thread() == mbarrier.initThread ||
      order.knows(use.at.warp, use.lane, mbarrier.initThread, mbarrier.initStamp) ||
      !reporter.isNew(Rule::MbarrierUninitialized, use.at.instrId, mbarrier.initInstrId))
    return;
  reporter.report(Rule::MbarrierUninitialized, use.at.launch, use.at.instrId,
                  fmt::format("{} uses mbarrier {}, and nothing orders this after its initialization",
                              use.at.threadText(use.lane), use.name()),
                  mbarrier.initInstrId,
                  fmt::format("initialized here by {}", threadName(use.at.launch.block, mbarrier.initThread)),
                  "a __syncthreads() after the initialization makes it visible to all threads");
}

void Mbarriers::arrive(const Use &use, int64_t count, bool relaxed, BlockOrder &order, Reporter &reporter) {
  Mbarrier &mbarrier = use.mbarrier;
  const unsigned warp = use.at.warp;
  const unsigned engine = order.engineThread(mbarrier.slot);
  // A thread that arrives must know that the phase before is over: else it may be one too many there.
  if (!mbarrier.ends.empty() && !mbarrier.reported &&
      !order.knows(warp, use.lane, engine, mbarrier.ends.back())) {
    mbarrier.reported = true;
    if (reporter.isNew(Rule::MbarrierCount, use.at.instrId, 0))
      reporter.report(
          Rule::MbarrierCount, use.at.launch, use.at.instrId,
          fmt::format(
              "{} arrives at mbarrier {}, whose count is {}, and nothing orders this after the previous "
              "phase, which completed without it: more threads may arrive than the count",
              use.at.threadText(use.lane), use.name(), mbarrier.expected),
          mbarrier.initInstrId, "initialized here",
          "initialize the mbarrier with the number of arrivals per phase, and wait for a phase before "
          "arriving for the next");
  }
  mbarrier.pending -= count;
  mbarrier.arriving.insert(use.thread());
  if (relaxed)
    return;
  if (!mbarrier.gathered)
    mbarrier.gathered = *order.known(warp, use.lane);
  else
    mbarrier.gathered->join(*order.known(warp, use.lane));
  mbarrier.gathered->own.raiseLanes(warp, 1u << use.lane, order.release(warp));
  mbarrier.arrivers.insert(warp);
}

void Mbarriers::complete(const Use &use, BlockOrder &order, Reporter &reporter) {
  Mbarrier &mbarrier = use.mbarrier;
  if (!mbarrier.gathered)
    mbarrier.gathered = *order.nothing();
  // A thread that waited for the phase before must be known to have passed: had it come later, it would have
  // found this one over as well, and taken the parity for that of a phase to come.
  const int64_t before = int64_t(mbarrier.phases) - 1;
  const auto hasPassed = [&](const Wait &wait) {
    return wait.byParity && !wait.failed && wait.target == before;
  };
  std::set<unsigned> passed; // of a warp that waits together one lane that goes on is enough
  for (const auto &[who, wait] : mbarrier.waits)
    if (hasPassed(wait) && mbarrier.gathered->own.knows(who / 32, who % 32, wait.stamp))
      passed.insert(who / 32);
  mbarrier.arriving.insert(use.thread());
  for (auto &[who, wait] : mbarrier.waits)
    if (hasPassed(wait) && !passed.count(who / 32))
      reportBadWait(use, mbarrier.arriving, who, wait, reporter);
  const Stamp now = order.tick();
  const unsigned engine = order.engineThread(mbarrier.slot);
  mbarrier.gathered->own.raiseLanes(engine / 32, 1u << engine % 32, now);
  mbarrier.ends.push_back(now);
  mbarrier.phaseArrivers = std::move(mbarrier.arriving);
  mbarrier.arriving.clear();
  ++mbarrier.phases;
  KnownRef phase = std::move(*mbarrier.gathered).settle();
  mbarrier.done = mbarrier.done ? joined(mbarrier.done, phase) : phase;
  mbarrier.gathered.reset();
  mbarrier.pending = mbarrier.expected;
  mbarrier.bytes = 0;
}

void Mbarriers::wait(const Use &use, const vm::MbarrierEvent &event, const InstructionTable &instructions,
                     BlockOrder &order, Reporter &reporter) {
  Mbarrier &mbarrier = use.mbarrier;
  const unsigned warp = use.at.warp;
  Wait &wait = mbarrier.waits[use.thread()];
  wait.instrId = use.at.instrId;
  wait.failed = event.kind == Kind::WaitFailed;
  wait.stamp = order.stampOf(warp);
  wait.byParity = event.parity;
  wait.bad = false;
  if (event.parity) {
    // How many phases the thread knows to be over, and which one its parity then means.
    const unsigned engine = order.engineThread(mbarrier.slot);
    const Stamp known = order.known(warp, use.lane)->own.of(engine / 32, engine % 32);
    const int64_t over =
        std::upper_bound(mbarrier.ends.begin(), mbarrier.ends.end(), known) - mbarrier.ends.begin();
    wait.known = event.count != (over & 1);
    wait.target = wait.known ? over - 1 : over;
    if (wait.target < 0)
      wait.freshInstrId = use.at.instrId;
    if (int64_t(mbarrier.phases) >= wait.target + 2)
      reportBadWait(use, mbarrier.phaseArrivers, use.thread(), wait, reporter);
  }
  if (!wait.failed && mbarrier.done && !isRelaxed(instructions, use.at.instrId)) {
    order.learn(warp, 1u << use.lane, joined(order.known(warp, use.lane), mbarrier.done));
    order.acted(warp);
  }
}

/// Nothing orders the end of the phase after the one that is waited for with the wait.
void Mbarriers::reportBadWait(const Use &use, const std::set<unsigned> &arrivers, unsigned thread, Wait &wait,
                              Reporter &reporter) {
  wait.bad = true;
  const bool carriedOver = wait.known && wait.target >= 0;
  const Rule rule = carriedOver ? Rule::MbarrierPhase : Rule::MbarrierParity;
  if (use.mbarrier.reported)
    return;
  use.mbarrier.reported = true;
  if (!reporter.isNew(rule, wait.instrId, 0))
    return;
  // Both sides of a pair may pass at once; only one of them should.
  uint32_t otherInstrId = 0;
  for (auto &[offset, other] : byOffset)
    for (auto &[who, passed] : other.waits)
      if (wait.known && wait.target < 0 && &other != &use.mbarrier && passed.freshInstrId &&
          arrivers.count(who)) {
        otherInstrId = passed.freshInstrId;
        other.reported = true;
      }
  const std::string who = threadName(use.at.launch.block, thread);
  reporter.report(
      rule, use.at.launch, wait.instrId,
      carriedOver
          ? fmt::format(
                "{} waits here with the parity of a phase that has already completed, and the next phase "
                "may complete at any time",
                who)
      : wait.known
          ? fmt::format(
                "{} waits here with a parity that passes before any phase has completed, and the first one "
                "may complete at any time",
                who)
          : fmt::format("{} waits here for a phase by its parity, but the phase after it may complete before "
                        "the wait: then the parity means another one",
                        who),
      otherInstrId,
      otherInstrId ? "the threads that arrive at it also pass their first wait here at once; only one of the "
                     "two sides may"
                   : "",
      carriedOver
          ? "do not reset the phase bit in the outer loop: declare it outside and flip it after each phase"
          : "the first phase of an mbarrier has parity 0; wait for each phase before the next one can "
            "complete");
}

bool Mbarriers::badWait(unsigned thread, unsigned other, const BlockOrder &order) const {
  const bool engine = order.isEngine(other);
  for (const auto &[offset, mbarrier] : byOffset) {
    const bool brings =
        engine ? order.engineThread(mbarrier.slot) == other : mbarrier.arrivers.count(other / 32) != 0;
    if (brings && engine && mbarrier.bytesReported)
      return true;
    auto wait = mbarrier.waits.find(thread);
    if (brings && wait != mbarrier.waits.end() && wait->second.bad)
      return true;
  }
  return false;
}

void Mbarriers::overwritten(const Where &where, const vm::AccessEvent &event, Reporter &reporter) {
  vm::eachLane(event.mask, [&](unsigned lane) {
    const uint64_t begin = event.addresses[lane], end = begin + event.bytes;
    for (auto at = byOffset.lower_bound(uint32_t(begin < 7 ? 0 : begin - 7));
         at != byOffset.end() && at->first < end; ++at) {
      Mbarrier &mbarrier = at->second;
      if (!mbarrier.valid)
        continue;
      mbarrier.valid = false;
      mbarrier.reported = true;
      if (reporter.isNew(Rule::MbarrierInvalid, where.instrId, mbarrier.initInstrId))
        reporter.report(Rule::MbarrierInvalid, where.launch, where.instrId,
                        fmt::format("{} stores over mbarrier {}, which is in use", where.threadText(lane),
                                    sharedName(*where.launch.kernel, at->first, 8)),
                        mbarrier.initInstrId, "initialized here",
                        "mbarrier.inval it first, when no thread uses it any more");
    }
  });
}

// --- copies that report their bytes ------------------------------------------------------------------------

void Mbarriers::copyStarts(uint32_t offset, uint32_t to, uint32_t bytes, uint32_t instrId) {
  Mbarrier &mbarrier = at(offset);
  mbarrier.flights.push_back({to, bytes, instrId, mbarrier.phases});
}

void Mbarriers::copyEnds(const LaunchFacts &launch, uint32_t offset, uint32_t to, uint32_t bytes,
                         Reporter &reporter) {
  Mbarrier &mbarrier = at(offset);
  mbarrier.bytes -= bytes;
  const auto flight = std::ranges::find_if(
      mbarrier.flights, [&](const Flight &each) { return each.to == to && each.bytes == bytes; });
  if (flight == mbarrier.flights.end())
    return;
  if (flight->phase != mbarrier.phases && !mbarrier.bytesReported) {
    mbarrier.bytesReported = true;
    reporter.report(
        Rule::MbarrierBytes, launch, flight->instrId,
        "the phase that this copy belongs to ends before the copy is there: it expects fewer bytes",
        mbarrier.expectInstrId, "expected here",
        "expect_tx has to be exactly the number of bytes of the copies that report to this phase");
  }
  mbarrier.flights.erase(flight);
}

void Mbarriers::gatherEngine(uint32_t offset, Stamp time, const BlockOrder &order) {
  Mbarrier &mbarrier = at(offset);
  const unsigned engine = order.engineThread(mbarrier.slot);
  if (!mbarrier.gathered)
    mbarrier.gathered = *order.nothing();
  mbarrier.gathered->own.raiseLanes(engine / 32, 1u << engine % 32, time);
}

// --- when nothing more can come ----------------------------------------------------------------------------

bool Mbarriers::reportBytes(const LaunchFacts &launch, uint64_t block, Reporter &reporter) {
  bool any = false;
  for (auto &[offset, mbarrier] : byOffset) {
    const bool stuck = mbarrier.pending <= 0 || mbarrier.bytes < 0;
    if (!mbarrier.valid || mbarrier.bytes == 0 || !stuck)
      continue;
    any = true;
    if (mbarrier.bytesReported)
      continue;
    mbarrier.bytesReported = true;
    const uint32_t instrId = mbarrier.expectInstrId ? mbarrier.expectInstrId : mbarrier.initInstrId;
    if (reporter.isNew(Rule::MbarrierBytes, instrId, 0))
      reporter.report(
          Rule::MbarrierBytes, launch, instrId,
          mbarrier.bytes > 0
              ? fmt::format("mbarrier {} of {} still expects {} bytes that no copy transfers",
                            sharedName(*launch.kernel, offset, 8), blockName(launch.grid, block),
                            mbarrier.bytes)
              : fmt::format("copies report to mbarrier {} of {} {} bytes more than it was set to expect",
                            sharedName(*launch.kernel, offset, 8), blockName(launch.grid, block),
                            -mbarrier.bytes),
          mbarrier.initInstrId, "the mbarrier is initialized here",
          "expect_tx has to be exactly the number of bytes of the copies that report to this phase");
  }
  return any;
}

Mbarriers::Fate Mbarriers::fateOf(uint32_t offset) const {
  auto at = byOffset.find(offset);
  return at == byOffset.end() ? Fate() : Fate{at->second.wasValid, at->second.reported};
}

bool Mbarriers::anyWaits() const {
  for (const auto &[offset, mbarrier] : byOffset)
    for (const auto &[thread, wait] : mbarrier.waits)
      if (wait.failed)
        return true;
  return false;
}

bool Mbarriers::anyWaitIsExplained() const {
  for (const auto &[offset, mbarrier] : byOffset)
    for (const auto &[thread, wait] : mbarrier.waits)
      if (wait.failed && mbarrier.reported)
        return true;
  return false;
}

std::vector<std::string> Mbarriers::waitedFor(const LaunchFacts &launch, uint64_t block) const {
  std::vector<std::string> texts;
  for (const auto &[offset, mbarrier] : byOffset)
    if (std::ranges::any_of(mbarrier.waits, [](const auto &each) { return each.second.failed; }))
      texts.push_back(fmt::format("mbarrier {} of {}: phase {}, {} of {} arrivals missing, {} bytes missing",
                                  sharedName(*launch.kernel, offset, 8), blockName(launch.grid, block),
                                  mbarrier.phases, mbarrier.pending, mbarrier.expected, mbarrier.bytes));
  return texts;
}

} // namespace heddle::check
