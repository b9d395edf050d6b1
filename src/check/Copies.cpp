// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies: cp.async with its groups, bulk copies with mbarriers or groups.
//
// A copy is checked as an access of the thread that starts it, and its target stays pending until that thread
// has waited (then it counts as the thread's own write of that moment) or until the bytes are reported to an
// mbarrier (then it is the write of a copy engine, known to those who wait for the phase).
#include "check/Parts.h"
#include "vm/Lanes.h"

#include <mutex>
#include <optional>

namespace heddle::check {
namespace {

using Copy = vm::AsyncEvent::Copy;
using Kind = vm::AsyncEvent::Kind;

/// Judges what a copy meets in shared memory when it starts.
class CopyCourt final : public Judge {
public:
  CopyCourt(Checker::Parts &checker, const Scene &where, bool intoShared, bool bulk)
      : parts(checker), scene(where), write(intoShared), engine(bulk) {}

  bool knows(unsigned lane, unsigned thread, Stamp stamp) override {
    return scene.warp.known(lane)->own.knows(thread / 32, thread % 32, stamp);
  }
  CellValue stored(unsigned, uint64_t, unsigned) override { return std::nullopt; }
  CellValue held(unsigned, uint64_t, unsigned) override { return std::nullopt; }
  bool clash(unsigned lane, uint64_t address, const Past &past) override {
    tellClash(lane, address, past);
    return true;
  }
  void tellClash(unsigned lane, uint64_t address, const Past &past) {
    const Side me{&scene.launch, scene.block.index, scene.warp.index * 32 + lane, scene.place, write, false,
                  true};
    const Side other{&scene.launch,  scene.block.index, past.thread,
                     past.place,     past.write,        past.strength == Strength::Atomic,
                     past.flags != 0};
    const std::string name = sharedName(*scene.launch.kernel, address, 4);
    if (write && !past.write)
      parts.forgetUnwritten(scene.block.unwritten, address);
    if (past.flags & Past::Pending)
      return parts.tellRace(past.write ? Rule::AsyncEarly : Rule::AsyncSource, me, other, name,
                            "wait for the first copy before starting another over it");
    Rule rule = past.thread / 32 == scene.warp.index ? Rule::WarpLockstep : Rule::RaceShared;
    if (past.flags & Past::Engine)
      rule = Rule::AsyncEarly;
    if (parts.badWait(scene, me.thread, past.thread))
      return;
    parts.tellRace(rule, me, other, name,
                   "the copy may start only when everybody is done with what it overwrites or reads: wait at "
                   "a barrier first");
  }
  void unwritten(unsigned lane, uint64_t address) override {
    if (write || scene.launch.inClusters || !parts.options.uninitialized ||
        !parts.isNew(Rule::UninitializedShared, scene.place, 0))
      return;
    parts.tell(Rule::UninitializedShared, scene.launch, scene.place,
               fmt::format("{} copies {} out, which no thread of {} has written",
                           threadName(scene.launch.block, scene.warp.index * 32 + lane),
                           sharedName(*scene.launch.kernel, address, 4),
                           blockName(scene.launch.grid, scene.block.index)));
  }

  /// Writes of threads that no proxy fence has carried over to the copy engine.
  void checkProxy(unsigned lane, uint32_t offset, uint32_t bytes) {
    if (!engine)
      return;
    for (uint32_t at = offset; at < offset + bytes; at += 4) {
      Past past;
      if (scene.block.shared.lastWrite(at, past) && !past.flags && isUnfenced(lane, past.thread, past.stamp))
        return tellProxy(write ? "writes" : "reads", sharedName(*scene.launch.kernel, at, 4), past.thread,
                         past.place);
    }
  }
  /// The same for what a bulk copy reads from global memory. What other blocks wrote is left to them.
  void checkGlobalProxy(unsigned lane, uint64_t address, uint32_t bytes) {
    if (!engine || !parts.options.globalMemory)
      return;
    std::optional<GlobalPast> found;
    {
      std::lock_guard lock(parts.guard);
      parts.global.each(address, bytes, [&](const GlobalPast &past, bool pastWrites) {
        if (!found && pastWrites && !past.byCopy && past.actor == scene.block.actor &&
            isUnfenced(lane, past.thread, past.stamp))
          found = past;
      });
    }
    if (found)
      tellProxy("reads", parts.globalName(scene.launch, address, 4), found->thread, found->place);
  }

private:
  /// Ordered before this copy, but only for threads. What is not even ordered has been told as a race.
  bool isUnfenced(unsigned lane, unsigned thread, Stamp stamp) {
    const KnownRef &fenced = scene.warp.known(lane)->fenced;
    if (fenced && fenced->own.knows(thread / 32, thread % 32, stamp))
      return false;
    return thread == scene.warp.index * 32 + lane || knows(lane, thread, stamp);
  }
  void tellProxy(const char *does, const std::string &what, unsigned thread, uint32_t place) {
    if (parts.isNew(Rule::AsyncProxy, scene.place, place))
      parts.tell(Rule::AsyncProxy, scene.launch, scene.place,
                 fmt::format("this bulk copy {} {}, which {} wrote with an ordinary store, and no proxy "
                             "fence stands between",
                             does, what, threadName(scene.launch.block, thread)),
                 place, "written here",
                 "fence.proxy.async after the stores, before the barrier that lets the copy start");
  }

  Checker::Parts &parts;
  const Scene &scene;
  const bool write, engine;
};

Touch touchOf(const Scene &scene) {
  Touch touch;
  touch.warp = scene.warp.index;
  touch.stamp = scene.warp.stamp, touch.known = scene.warp.leastKnown();
  touch.place = scene.place;
  return touch;
}

/// The copy is over: the target counts as written by its thread now, the source as read.
void finish(const Scene &scene, const PendingCopy &copy, Stamp now) {
  const unsigned thread = scene.warp.index * 32 + copy.lane;
  if (copy.intoShared)
    scene.block.shared.endCopyTo(copy.shared, copy.bytes, thread, now, copy.place, false);
  else if (!copy.sourceDone)
    scene.block.shared.endCopyFrom(copy.shared, copy.bytes, thread, now, copy.place);
  --scene.block.copies;
}

template <class F> void finishWhere(const Scene &scene, F isOver) {
  const Stamp now = scene.warp.stamp;
  std::erase_if(scene.warp.copies, [&](const PendingCopy &copy) {
    if (!isOver(copy))
      return false;
    finish(scene, copy, now);
    return true;
  });
}

} // namespace

void Checker::Parts::checkPending(const Scene &scene, uint64_t begin, uint64_t end, bool write,
                                  unsigned lane) {
  for (const WarpState &warp : scene.block.warps)
    for (const PendingCopy &copy : warp.copies) {
      if (begin >= copy.globalEnd || end <= copy.globalBegin || (copy.intoShared && !write))
        continue;
      const Rule rule = copy.intoShared ? Rule::AsyncSource : Rule::AsyncEarly;
      const Side me{&scene.launch, scene.block.index, scene.warp.index * 32 + lane, scene.place, write};
      const Side other{&scene.launch, scene.block.index, warp.index * 32 + copy.lane,
                       copy.place,    !copy.intoShared,  false,
                       true};
      tellRace(rule, me, other, globalName(scene.launch, begin, 4), "wait for the copy first");
    }
}

void Checker::Parts::onCopy(const Scene &scene, const vm::AsyncEvent &event) {
  BlockState &block = scene.block;
  WarpState &warp = scene.warp;
  const bool bulk = event.copy == Copy::Bulk;
  switch (event.kind) {
  case Kind::Issue: {
    warp.dirty = true;
    const bool intoShared = event.toSpace == vm::Space::Shared;
    CopyCourt court(*this, scene, intoShared, bulk);
    vm::eachLane(event.mask, [&](unsigned lane) {
      const bool reads = event.reading >> lane & 1;
      PendingCopy copy;
      copy.lane = lane, copy.kind = event.copy, copy.place = scene.place, copy.bytes = event.bytes;
      copy.group = (bulk ? warp.bulkGroup : warp.copyGroup)[lane];
      copy.intoShared = intoShared;
      copy.shared = uint32_t(intoShared ? event.to[lane] : event.from[lane]);
      const uint64_t other = intoShared ? event.from[lane] : event.to[lane];
      if (intoShared) {
        court.checkProxy(lane, copy.shared, event.bytes);
        block.shared.beginCopyTo(touchOf(scene), lane, copy.shared, event.bytes, court);
      } else {
        court.checkProxy(lane, copy.shared, event.bytes);
        block.shared.beginCopyFrom(touchOf(scene), lane, copy.shared, event.bytes, court);
      }
      if (reads && (!intoShared || event.fromSpace == vm::Space::Global)) {
        copy.globalBegin = other, copy.globalEnd = other + event.bytes;
        uint64_t addresses[32];
        addresses[lane] = other;
        if (intoShared)
          court.checkGlobalProxy(lane, other, event.bytes);
        touchGlobal(scene, 1u << lane, event.bytes, addresses, Strength::Weak, vm::Scope::None, !intoShared,
                    false, nullptr);
      }
      if (event.mbarrier == ~0u) {
        warp.copies.push_back(copy);
        ++block.copies;
      } else {
        Mbarrier &mbarrier = block.mbarrierAt(event.mbarrier);
        mbarrier.flights.push_back({copy.shared, event.bytes, scene.place, mbarrier.phases});
      }
    });
    return;
  }
  case Kind::Commit:
    vm::eachLane(event.mask, [&](unsigned lane) { ++(bulk ? warp.bulkGroup : warp.copyGroup)[lane]; });
    return;
  case Kind::Wait:
    warp.dirty = true;
    if (event.sourceOnly) {
      for (PendingCopy &copy : warp.copies)
        if (copy.kind == event.copy && event.mask >> copy.lane & 1 && !copy.intoShared && !copy.sourceDone &&
            copy.group + event.groupsLeft < warp.bulkGroup[copy.lane]) {
          block.shared.endCopyFrom(copy.shared, copy.bytes, warp.index * 32 + copy.lane, warp.stamp,
                                   copy.place);
          copy.sourceDone = true;
        }
      return;
    }
    finishWhere(scene, [&](const PendingCopy &copy) {
      const uint32_t groups = (bulk ? warp.bulkGroup : warp.copyGroup)[copy.lane];
      // wait_all takes what was not committed too.
      const bool all = event.groupsLeft == vm::AsyncEvent::EvenUncommitted;
      return copy.kind == event.copy && event.mask >> copy.lane & 1 &&
             (all || copy.group + event.groupsLeft < groups);
    });
    return;
  case Kind::ArriveOn: {
    Mbarrier &mbarrier = block.mbarrierAt(event.mbarrier);
    const unsigned engine = block.engineThread(mbarrier.slot);
    const Stamp now = block.release(warp);
    bool any = false;
    std::erase_if(warp.copies, [&](const PendingCopy &copy) {
      if (copy.kind != Copy::CpAsync || !(event.mask >> copy.lane & 1))
        return false;
      block.shared.endCopyTo(copy.shared, copy.bytes, engine, now, copy.place, true);
      --block.copies;
      return any = true;
    });
    if (!any)
      return;
    if (!mbarrier.gathered)
      mbarrier.gathered = *block.nothing;
    mbarrier.gathered->own.raiseLanes(engine / 32, 1u << engine % 32, now);
    return;
  }
  case Kind::Complete: {
    Mbarrier &mbarrier = block.mbarrierAt(event.mbarrier);
    const unsigned lane = vm::firstLane(event.mask), engine = block.engineThread(mbarrier.slot);
    const uint32_t to = uint32_t(event.to[lane]);
    const Stamp now = block.release(warp);
    for (auto flight = mbarrier.flights.begin(); flight != mbarrier.flights.end(); ++flight)
      if (flight->to == to && flight->bytes == event.bytes) {
        if (flight->phase != mbarrier.phases && !mbarrier.bytesTold) {
          mbarrier.bytesTold = true;
          tell(Rule::MbarrierBytes, scene.launch, flight->place,
               "the phase that this copy belongs to ends before the copy is there: it was told to expect "
               "fewer bytes",
               mbarrier.expectPlace, "expected here",
               "expect_tx has to name exactly the bytes of the copies that report to this phase");
        }
        mbarrier.flights.erase(flight);
        break;
      }
    block.shared.endCopyTo(to, event.bytes, engine, now, scene.place, true);
    mbarrier.bytes -= event.bytes;
    if (!mbarrier.gathered)
      mbarrier.gathered = *block.nothing;
    mbarrier.gathered->own.raiseLanes(engine / 32, 1u << engine % 32, now);
    return;
  }
  }
}

void Checker::Parts::unwaited(const Scene &scene, uint32_t mask) {
  if (scene.warp.copies.empty())
    return;
  for (const PendingCopy &copy : scene.warp.copies)
    if (mask >> copy.lane & 1 && (copy.intoShared || !copy.sourceDone) &&
        isNew(Rule::AsyncUnwaited, copy.place, 0))
      tell(Rule::AsyncUnwaited, scene.launch, copy.place,
           fmt::format("{} of {} ends while this copy is under way",
                       threadName(scene.launch.block, scene.warp.index * 32 + copy.lane),
                       blockName(scene.launch.grid, scene.block.index)),
           scene.place, "it ends here",
           "wait for it: the copy may still write when the memory belongs to somebody else");
  finishWhere(scene, [&](const PendingCopy &copy) { return mask >> copy.lane & 1; });
}

} // namespace heddle::check
