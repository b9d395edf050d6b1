// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarriers (PTX ISA, "mbarrier"): arrivals of a phase happen before the waits that see it end, and so do
// copies whose bytes the phase waited for.
#include "check/Parts.h"
#include "ptx/Module.h"
#include "vm/Lanes.h"

#include <algorithm>

namespace heddle::check {
namespace {

using Kind = vm::MbarrierEvent::Kind;

bool isRelaxed(const Checker::Parts &parts, uint32_t place) {
  const ptx::Instr *instruction = parts.places.instruction(place);
  return instruction && instruction->mods.sem == ptx::Semantics::Relaxed;
}

} // namespace

void Checker::Parts::arriveFor(const Scene &scene, unsigned lane, Mbarrier &mbarrier) {
  WarpState &warp = scene.warp;
  if (!mbarrier.gathered)
    mbarrier.gathered = *warp.known(lane);
  else
    mbarrier.gathered->join(*warp.known(lane));
  mbarrier.gathered->own.raiseLanes(warp.index, 1u << lane, scene.block.release(warp));
  mbarrier.arrivers.insert(warp.index);
}

void Checker::Parts::onMbarrier(const Scene &scene, const vm::MbarrierEvent &event) {
  BlockState &block = scene.block;
  WarpState &warp = scene.warp;
  const unsigned lane = vm::firstLane(event.mask), thread = warp.index * 32 + lane;
  const uint32_t offset = uint32_t(event.addresses[lane]);
  Mbarrier &mbarrier = block.mbarrierAt(offset);
  auto name = [&] { return sharedName(*scene.launch.kernel, offset, 8); };

  if (event.kind == Kind::Init) {
    if (mbarrier.valid && isNew(Rule::MbarrierInvalid, scene.place, mbarrier.initPlace))
      tell(Rule::MbarrierInvalid, scene.launch, scene.place,
           fmt::format("mbarrier {} is initialized again while it is in use", name()), mbarrier.initPlace,
           "initialized here", "mbarrier.inval it first, when everybody is done with it");
    const unsigned slot = mbarrier.slot;
    mbarrier = {};
    mbarrier.slot = slot;
    mbarrier.valid = mbarrier.wasValid = true;
    mbarrier.expected = mbarrier.pending = event.count;
    mbarrier.initThread = thread;
    mbarrier.initStamp = warp.stamp;
    mbarrier.initPlace = scene.place;
    block.shared.markWritten(offset, 8);
    warp.dirty = true;
    return;
  }
  if (event.kind == Kind::Invalidate) {
    mbarrier.valid = false;
    return;
  }
  // Whoever uses it has to know that it was initialized.
  if (event.kind != Kind::Completed && mbarrier.valid && thread != mbarrier.initThread &&
      !warp.known(lane)->own.knows(mbarrier.initThread / 32, mbarrier.initThread % 32, mbarrier.initStamp) &&
      isNew(Rule::MbarrierUninitialized, scene.place, mbarrier.initPlace))
    tell(Rule::MbarrierUninitialized, scene.launch, scene.place,
         fmt::format("{} uses mbarrier {} without knowing that it was initialized",
                     threadName(scene.launch.block, thread), name()),
         mbarrier.initPlace,
         fmt::format("initialized here by {}", threadName(scene.launch.block, mbarrier.initThread)),
         "a __syncthreads() after the initialization lets everybody know");

  switch (event.kind) {
  case Kind::Arrive: {
    // Whoever arrives has to know that the phase before is over: else it may be one too many there.
    const unsigned engine = block.engineThread(mbarrier.slot);
    if (!mbarrier.ends.empty() && !mbarrier.told &&
        !warp.known(lane)->own.knows(engine / 32, engine % 32, mbarrier.ends.back())) {
      mbarrier.told = true;
      if (isNew(Rule::MbarrierCount, scene.place, 0))
        tell(Rule::MbarrierCount, scene.launch, scene.place,
             fmt::format("{} arrives at mbarrier {}, which counts {}, unordered with a phase that ended "
                         "without it: more arrive "
                         "than it was initialized for",
                         threadName(scene.launch.block, thread), name(), mbarrier.expected),
             mbarrier.initPlace, "initialized here",
             "the count given to mbarrier.init is that of the arrivals of each phase; wait for a phase "
             "before arriving for the next");
    }
    mbarrier.pending -= event.count;
    mbarrier.arriving.insert(thread);
    if (!isRelaxed(*this, scene.place))
      arriveFor(scene, lane, mbarrier);
    break;
  }
  case Kind::ExpectTx:
    mbarrier.bytes += event.count;
    mbarrier.expectPlace = scene.place;
    break;
  case Kind::CompleteTx: mbarrier.bytes += event.count; break; // a negative number
  case Kind::Completed: {
    if (!mbarrier.gathered)
      mbarrier.gathered = *block.nothing;
    // Whoever waited for the phase before must be known to have passed: had it come later, it would have
    // found this one over as well, and taken the parity for that of a phase to come.
    const int64_t before = int64_t(mbarrier.phases) - 1;
    std::set<unsigned> passed; // of a warp that waits together one lane that goes on is enough
    for (const auto &[who, wait] : mbarrier.waits)
      if (wait.byParity && !wait.failed && wait.target == before &&
          mbarrier.gathered->own.knows(who / 32, who % 32, wait.stamp))
        passed.insert(who / 32);
    mbarrier.arriving.insert(thread);
    for (auto &[who, wait] : mbarrier.waits)
      if (wait.byParity && !wait.failed && wait.target == before && !passed.count(who / 32))
        badWaitTold(scene, mbarrier, mbarrier.arriving, who, wait);
    const Stamp now = block.time++;
    const unsigned engine = block.engineThread(mbarrier.slot);
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
    break;
  }
  case Kind::Wait:
  case Kind::WaitFailed: {
    Mbarrier::Wait &wait = mbarrier.waits[thread];
    wait.place = scene.place;
    wait.failed = event.kind == Kind::WaitFailed;
    wait.stamp = warp.stamp;
    wait.byParity = event.parity;
    wait.bad = false;
    if (event.parity) {
      // How many phases the thread knows to be over, and which one its parity then means.
      const unsigned engine = block.engineThread(mbarrier.slot);
      const Stamp known = warp.known(lane)->own.of(engine / 32, engine % 32);
      const int64_t over =
          std::upper_bound(mbarrier.ends.begin(), mbarrier.ends.end(), known) - mbarrier.ends.begin();
      wait.known = event.count != (over & 1);
      wait.target = wait.known ? over - 1 : over;
      if (wait.target < 0)
        wait.freshPlace = scene.place;
      if (int64_t(mbarrier.phases) >= wait.target + 2)
        badWaitTold(scene, mbarrier, mbarrier.phaseArrivers, thread, wait);
    }
    if (!wait.failed && mbarrier.done && !isRelaxed(*this, scene.place)) {
      warp.setLanes(1u << lane, joined(warp.known(lane), mbarrier.done));
      warp.dirty = true;
    }
    break;
  }
  default: break;
  }
}

/// Nothing orders the end of the phase after the one that is waited for with the wait.
void Checker::Parts::badWaitTold(const Scene &scene, Mbarrier &mbarrier, const std::set<unsigned> &arrivers,
                                 unsigned thread, Mbarrier::Wait &wait) {
  wait.bad = true;
  const bool carriedOver = wait.known && wait.target >= 0;
  const Rule rule = carriedOver ? Rule::MbarrierPhase : Rule::MbarrierParity;
  if (mbarrier.told)
    return;
  mbarrier.told = true;
  if (!isNew(rule, wait.place, 0))
    return;
  // Both sides of a pair may pass at once; only one of them should.
  uint32_t otherPlace = 0;
  for (auto &[offset, other] : scene.block.mbarriers)
    for (auto &[who, passed] : other.waits)
      if (wait.known && wait.target < 0 && &other != &mbarrier && passed.freshPlace && arrivers.count(who)) {
        otherPlace = passed.freshPlace;
        other.told = true;
      }
  const std::string who = threadName(scene.launch.block, thread);
  tell(rule, scene.launch, wait.place,
       carriedOver ? fmt::format("{} waits here for a phase that it already knows to be over, while the next "
                                 "one may end at any time",
                                 who)
       : wait.known ? fmt::format("{} waits here with a parity that passes before any phase has ended, while "
                                  "the first one may end at "
                                  "any time",
                                  who)
                    : fmt::format("{} waits here for a phase by its parity, but the phase after it may end "
                                  "before the wait: then the "
                                  "parity means another one",
                                  who),
       otherPlace,
       otherPlace ? "threads that end that phase pass here in the same way: only one side may" : "",
       carriedOver ? "carry the phase bit on over the outer loop: flip it each time the mbarrier's phase ends"
                   : "the first phase of an mbarrier has parity 0; a waiter has to let the next phase begin");
}

/// Whether what `other` did would be ordered, had the thread's wait for it not gone wrong: that has been
/// told.
bool Checker::Parts::badWait(const Scene &scene, unsigned thread, unsigned other) const {
  for (const auto &[offset, mbarrier] : scene.block.mbarriers) {
    const bool engine = scene.block.isEngine(other);
    const bool brings =
        engine ? scene.block.engineThread(mbarrier.slot) == other : mbarrier.arrivers.count(other / 32) != 0;
    if (brings && engine && mbarrier.bytesTold)
      return true;
    auto wait = mbarrier.waits.find(thread);
    if (brings && wait != mbarrier.waits.end() && wait->second.bad)
      return true;
  }
  return false;
}

/// Plain stores over an mbarrier that is in use.
void Checker::Parts::checkOverwritten(const Scene &scene, const vm::AccessEvent &event) {
  vm::eachLane(event.mask, [&](unsigned lane) {
    const uint64_t begin = event.addresses[lane], end = begin + event.bytes;
    for (auto at = scene.block.mbarriers.lower_bound(uint32_t(begin < 7 ? 0 : begin - 7));
         at != scene.block.mbarriers.end() && at->first < end; ++at) {
      if (!at->second.valid)
        continue;
      at->second.valid = false;
      at->second.told = true;
      if (isNew(Rule::MbarrierInvalid, scene.place, at->second.initPlace))
        tell(Rule::MbarrierInvalid, scene.launch, scene.place,
             fmt::format("{} stores over mbarrier {}, which is in use",
                         threadName(scene.launch.block, scene.warp.index * 32 + lane),
                         sharedName(*scene.launch.kernel, at->first, 8)),
             at->second.initPlace, "initialized here",
             "mbarrier.inval it first, when everybody is done with it");
    }
  });
}

bool Checker::Parts::checkBytes(LaunchState &launch, BlockState &block) {
  bool any = false;
  for (auto &[offset, mbarrier] : block.mbarriers) {
    const bool stuck = mbarrier.pending <= 0 || mbarrier.bytes < 0;
    if (!mbarrier.valid || mbarrier.bytes == 0 || !stuck)
      continue;
    any = true;
    if (mbarrier.bytesTold)
      continue;
    mbarrier.bytesTold = true;
    const uint32_t place = mbarrier.expectPlace ? mbarrier.expectPlace : mbarrier.initPlace;
    if (isNew(Rule::MbarrierBytes, place, 0))
      tell(Rule::MbarrierBytes, launch, place,
           mbarrier.bytes > 0
               ? fmt::format("mbarrier {} of {} still expects {} bytes that no copy brings",
                             sharedName(*launch.kernel, offset, 8), blockName(launch.grid, block.index),
                             mbarrier.bytes)
               : fmt::format("copies bring mbarrier {} of {} {} bytes more than it was told to expect",
                             sharedName(*launch.kernel, offset, 8), blockName(launch.grid, block.index),
                             -mbarrier.bytes),
           mbarrier.initPlace, "the mbarrier is initialized here",
           "expect_tx has to name exactly the bytes of the copies that report to this phase");
  }
  return any;
}

} // namespace heddle::check
