// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fences and the values that carry them (PTX ISA, "Memory Consistency Model").
//
// A release is a fence and then a strong write (or a write with .release); an acquire a strong read that sees
// that write, or one that a chain of atomics made of it, and then a fence (or a read with .acquire). So each
// address that is written strongly remembers what its writers had let know by then, in two kinds: to the
// block, and to the device. A reader takes that along and makes it its own at its next fence of sufficient
// scope.
//
// Volatile accesses are strong, and the model calls no two strong accesses a race. But volatile orders
// nothing: what is exchanged through it without a fence or a barrier arrives or does not, as the schedule has
// it. So a volatile access that meets another one unordered is a race, unless it synchronizes: a poll
// (Polls.h), what the poller reads again at that address afterwards, or a flag, which is its writer's first
// write after a fence. Relaxed and atomic accesses say that they mean it, and meet as they like.
//
// One thing is granted beyond the model: a block barrier after an atomic counts as the missing acquire. The
// usual "last block done" reduction reads the other blocks' results that way, and no device gets it wrong.
#include "check/Parts.h"
#include "check/Polls.h"
#include "vm/Lanes.h"

namespace heddle::check {
namespace {

using vm::Ordering;
using vm::Scope;

constexpr size_t MostSeen = 64;

bool acquires(Ordering ordering) {
  return ordering == Ordering::Acquire || ordering == Ordering::AcquireRelease ||
         ordering == Ordering::Sequential;
}
bool releases(Ordering ordering) {
  return ordering == Ordering::Release || ordering == Ordering::AcquireRelease ||
         ordering == Ordering::Sequential;
}

/// What a lane knew at a moment, its own accesses included.
KnownRef snapshot(const KnownRef &known, unsigned warp, unsigned lane, Stamp time) {
  if (known->own.knows(warp, lane, time))
    return known;
  Known own = *known;
  own.own.raiseLanes(warp, 1u << lane, time);
  return std::move(own).settle();
}

Published merged(const Published &old, const Published &fresh) {
  if (!old.known || old.known == fresh.known)
    return fresh;
  if (!fresh.known)
    return old;
  if (old.actor == fresh.actor)
    return {fresh.actor, joined(fresh.known, old.known)};
  Known both = *fresh.known;
  both.joinForeign(old.actor, *old.known);
  return {fresh.actor, std::move(both).settle()};
}

void see(LaneSync &lane, const Published &what, bool atomic) {
  if (!what.known)
    return;
  for (const Seen &seen : lane.seen)
    if (seen.what.known == what.known)
      return;
  if (lane.seen.size() >= MostSeen)
    lane.seen.erase(lane.seen.begin());
  lane.seen.push_back({what, atomic});
}

} // namespace

/// `known` of a thread of this block, with what somebody published.
KnownRef Checker::Parts::acquired(const BlockState &block, const KnownRef &known,
                                  const Published &what) const {
  if (!what.known)
    return known;
  if (what.actor == block.actor)
    return joined(known, what.known);
  Known more = *known;
  more.joinForeign(what.actor, *what.known);
  if (const BlockClock *ours = more.of(block.actor))
    more.own.join(*ours);
  return std::move(more).settle();
}

void Checker::Parts::takeSeen(const Scene &scene, unsigned lane, Scope scope, bool atomicsOnly) {
  if (!scene.warp.sync)
    return;
  LaneSync &sync = scene.warp.syncOf(lane);
  KnownRef known = scene.warp.known(lane);
  bool took = false;
  std::erase_if(sync.seen, [&](const Seen &seen) {
    const bool inReach = scope >= Scope::Device || seen.what.actor == scene.block.actor;
    if (!inReach || (atomicsOnly && !seen.atomic))
      return false;
    known = acquired(scene.block, known, seen.what);
    took = true;
    return true;
  });
  if (!took)
    return;
  scene.warp.setLanes(1u << lane, known);
  scene.warp.dirty = true;
}

void Checker::Parts::publishAndSee(const Scene &scene, const vm::AccessEvent &event) {
  const bool inShared = event.space == vm::Space::Shared;
  const bool atomic = event.kind == vm::AccessKind::Atomic || event.kind == vm::AccessKind::Reduction;
  const bool reads = event.kind != vm::AccessKind::Store, stores = event.kind != vm::AccessKind::Load;
  const Scope scope = event.ordering == Ordering::Volatile ? Scope::System : event.scope;
  WarpState &warp = scene.warp;
  std::unique_lock lock(guard, std::defer_lock);
  if (!inShared)
    lock.lock();
  auto find = [&](uint64_t address) -> Location * {
    if (inShared) {
      auto at = scene.block.locations.find(uint32_t(address));
      return at == scene.block.locations.end() ? nullptr : &at->second;
    }
    auto at = locations.find(address);
    return at == locations.end() ? nullptr : &at->second;
  };
  std::optional<Stamp> now;
  const bool polled = reads && event.ordering == Ordering::Volatile && isPoll(scene.place);
  vm::eachLane(event.mask, [&](unsigned lane) {
    const uint64_t address = event.addresses[lane];
    Location *location = find(address);
    if (polled)
      warp.syncOf(lane).polled = address;
    if (location && reads) {
      const bool far = scope >= Scope::Device;
      if (acquires(event.ordering)) {
        KnownRef known = warp.known(lane);
        if (far || location->device.actor == scene.block.actor)
          known = acquired(scene.block, known, location->device);
        if (location->block.actor == scene.block.actor)
          known = acquired(scene.block, known, location->block);
        warp.setLanes(1u << lane, known);
      } else {
        if (far || location->device.actor == scene.block.actor)
          see(warp.syncOf(lane), location->device, atomic);
        if (location->block.actor == scene.block.actor)
          see(warp.syncOf(lane), location->block, atomic);
      }
    }
    if (!stores)
      return;
    Published device{scene.block.actor, nullptr}, block = device;
    bool isFlag = releases(event.ordering);
    if (releases(event.ordering)) {
      if (!now)
        now = scene.block.release(warp);
      block.known = snapshot(warp.known(lane), warp.index, lane, *now);
      if (scope >= Scope::Device)
        device.known = block.known;
    } else if (warp.sync) {
      LaneSync &sync = warp.syncOf(lane);
      isFlag = sync.block.known && !sync.block.used;
      sync.block.used = true;
      if (sync.block.known)
        block.known = sync.block.known = snapshot(sync.block.known, warp.index, lane, sync.block.time);
      if (sync.device.known && scope >= Scope::Device)
        device.known = sync.device.known = snapshot(sync.device.known, warp.index, lane, sync.device.time);
    }
    if (!block.known && !device.known) {
      if (location && !atomic)
        *location = {};
      return;
    }
    if (!location)
      location = inShared ? &scene.block.locations[uint32_t(address)] : &locations[address];
    if (atomic) {
      location->device = merged(location->device, device);
      location->block = location->block.actor == block.actor ? merged(location->block, block) : block;
    } else {
      *location = {device, block};
    }
    location->isFlag = isFlag;
  });
}

bool Checker::Parts::isPoll(uint32_t place) {
  std::lock_guard lock(pollGuard);
  auto [at, fresh] = polls.try_emplace(place, false);
  if (fresh)
    if (const Places::InFunction where = places.inFunction(place); where.function)
      at->second = check::isPoll(*where.function, where.instr);
  return at->second;
}

bool Checker::Parts::mayMeet(const Scene &scene, unsigned lane, const Meeting &meeting) {
  if (meeting.mine != Strength::Volatile && meeting.theirs != Strength::Volatile)
    return true;
  const bool iRead = !meeting.iWrite || meeting.mine == Strength::Atomic;
  const bool theyRead = !meeting.theyWrite || meeting.theirs == Strength::Atomic;
  if ((iRead && isPoll(meeting.myPlace)) || (theyRead && isPoll(meeting.theirPlace)))
    return true;
  if (meeting.iWrite) {
    const LaneSync *sync = scene.warp.sync ? &(*scene.warp.sync)[lane] : nullptr;
    return theyRead && sync && sync->block.known && !sync->block.used;
  }
  if (scene.warp.sync && (*scene.warp.sync)[lane].polled == meeting.address)
    return true;
  if (meeting.inShared) {
    auto at = scene.block.locations.find(uint32_t(meeting.address));
    return at != scene.block.locations.end() && at->second.isFlag;
  }
  auto at = locations.find(meeting.address);
  return at != locations.end() && at->second.isFlag;
}

/// A plain store is no link of any chain.
void Checker::Parts::forgetLocations(const Scene &scene, const vm::AccessEvent &event) {
  if (event.space == vm::Space::Shared) {
    vm::eachLane(event.mask,
                 [&](unsigned lane) { scene.block.locations.erase(uint32_t(event.addresses[lane])); });
    return;
  }
  std::lock_guard lock(guard);
  if (locations.empty())
    return;
  vm::eachLane(event.mask, [&](unsigned lane) { locations.erase(event.addresses[lane]); });
}

void Checker::Parts::fence(const Scene &scene, const vm::FenceEvent &event) {
  WarpState &warp = scene.warp;
  if (event.proxy) {
    const Stamp now = scene.block.release(warp);
    std::map<KnownRef, KnownRef> after; // lanes that agree go on agreeing
    vm::eachLane(event.mask, [&](unsigned lane) {
      KnownRef before = warp.known(lane);
      KnownRef &fresh = after[before];
      if (!fresh) {
        Known carried = *before;
        carried.fenced = nullptr;
        carried.own.raiseLanes(warp.index, event.mask, now);
        Known more = *before;
        more.fenced = joined(before->fenced, std::move(carried).settle());
        fresh = std::move(more).settle();
      }
    });
    if (after.size() == 1)
      warp.setLanes(event.mask, after.begin()->second);
    else
      vm::eachLane(event.mask,
                   [&](unsigned lane) { warp.setLanes(1u << lane, KnownRef(after[warp.known(lane)])); });
    warp.dirty = true;
    return;
  }
  const Scope scope = event.scope == Scope::None ? Scope::Device : event.scope;
  if (event.ordering != Ordering::Release)
    vm::eachLane(event.mask, [&](unsigned lane) { takeSeen(scene, lane, scope, false); });
  if (event.ordering == Ordering::Acquire)
    return;
  const Stamp now = scene.block.release(warp);
  vm::eachLane(event.mask, [&](unsigned lane) {
    LaneSync &sync = warp.syncOf(lane);
    sync.block = {warp.known(lane), now};
    if (scope >= Scope::Device)
      sync.device = sync.block;
  });
}

} // namespace heddle::check
