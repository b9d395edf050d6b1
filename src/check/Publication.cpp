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
// Two things are granted beyond the model, since the usual "last block done" reductions rely on them, and no
// device gets them wrong: a block barrier after an atomic counts as the missing acquire; and what a thread
// knew at a fence is published by the writes of threads that it synchronizes with afterwards, by a barrier or
// within the warp (Known::flushedToBlock), as if they had executed the fence themselves.
#include "check/Publication.h"

#include "check/AccessEvents.h"
#include "check/Polls.h"
#include "vm/Lanes.h"

#include <optional>

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

/// `known` of a thread of that block, with what a thread published.
KnownRef acquired(uint32_t actor, const KnownRef &known, const Published &what) {
  if (!what.known)
    return known;
  if (what.actor == actor)
    return joined(known, what.known);
  Known more = *known;
  more.joinForeign(what.actor, *what.known);
  if (const BlockClock *ours = more.of(actor))
    more.own.join(*ours);
  return std::move(more).settle();
}

} // namespace

// --- values and polls --------------------------------------------------------------------------------------

PublishedValues::Value *PublishedValues::find(uint64_t address) {
  auto at = values.find(address);
  return at == values.end() ? nullptr : &at->second;
}
const PublishedValues::Value *PublishedValues::find(uint64_t address) const {
  auto at = values.find(address);
  return at == values.end() ? nullptr : &at->second;
}

void PublishedValues::overwrite(const vm::AccessEvent &event) {
  if (!values.empty())
    vm::eachLane(event.mask, [&](unsigned lane) { values.erase(event.addresses[lane]); });
}

void PublishedValues::forget(uint64_t address, uint64_t bytes) {
  std::erase_if(values,
                [&](const auto &entry) { return entry.first >= address && entry.first < address + bytes; });
}

bool PollInstructions::isPoll(uint32_t instrId) const {
  std::lock_guard lock(guard);
  auto [at, fresh] = polls.try_emplace(instrId, false);
  if (fresh)
    if (const InstructionTable::InFunction where = instructions.inFunction(instrId); where.function)
      at->second = check::isPoll(*where.function, where.instr);
  return at->second;
}

bool PollInstructions::isResultRead(uint32_t instrId) const {
  std::lock_guard lock(guard);
  auto [at, fresh] = resultsRead.try_emplace(instrId, false);
  if (fresh)
    if (const InstructionTable::InFunction where = instructions.inFunction(instrId); where.function)
      at->second = check::isResultRead(*where.function, where.instr);
  return at->second;
}

// --- fences ------------------------------------------------------------------------------------------------

void Fences::begin(unsigned count) {
  warps.clear();
  warps.resize(count);
}

Fences::Lane &Fences::laneOf(unsigned warp, unsigned lane) {
  if (!warps[warp])
    warps[warp] = std::make_unique<std::array<Lane, 32>>();
  return (*warps[warp])[lane];
}

void Fences::remember(Lane &lane, const Published &what, bool atomic) {
  if (!what.known)
    return;
  for (const Seen &seen : lane.seen)
    if (seen.what.known == what.known)
      return;
  if (lane.seen.size() >= MostSeen)
    lane.seen.erase(lane.seen.begin());
  lane.seen.push_back({what, atomic});
}

void Fences::takeSeen(unsigned warp, unsigned lane, Scope scope, bool atomicsOnly, BlockOrder &order) {
  if (!warps[warp])
    return;
  KnownRef known = order.known(warp, lane);
  bool took = false;
  std::erase_if((*warps[warp])[lane].seen, [&](const Seen &seen) {
    const bool inReach = scope >= Scope::Device || seen.what.actor == order.actor();
    if (!inReach || (atomicsOnly && !seen.atomic))
      return false;
    known = acquired(order.actor(), known, seen.what);
    took = true;
    return true;
  });
  if (!took)
    return;
  order.learn(warp, 1u << lane, known);
  order.acted(warp);
}

void Fences::barrier(unsigned warp, uint32_t mask, BlockOrder &order) {
  if (warps[warp])
    vm::eachLane(mask, [&](unsigned lane) { takeSeen(warp, lane, Scope::Device, true, order); });
}

/// Lanes that were at the same fence together are taken together.
void Fences::carry(Known &into, unsigned warp, uint32_t mask) const {
  if (!warps[warp])
    return;
  const std::array<Lane, 32> &lanes = *warps[warp];
  const auto take = [&](const Fence Lane::*fence, KnownRef &sum) {
    for (uint32_t left = mask; left;) {
      const Fence &first = lanes[vm::firstLane(left)].*fence;
      uint32_t same = 0;
      vm::eachLane(left, [&](unsigned lane) {
        const Fence &each = lanes[lane].*fence;
        same |= uint32_t(each.known == first.known && each.time == first.time) << lane;
      });
      left &= ~same;
      if (!first.known)
        continue;
      Known known;
      known.own = first.known->own, known.foreign = first.known->foreign;
      known.own.raiseLanes(warp, same, first.time);
      sum = joined(sum, std::move(known).settle());
    }
  };
  take(&Lane::block, into.flushedToBlock);
  take(&Lane::device, into.flushedToDevice);
}

void Fences::carryInWarp(unsigned warp, uint32_t here, BlockOrder &order) const {
  if (!warps[warp] || !here)
    return;
  const KnownRef before = order.known(warp, vm::firstLane(here));
  Known after = *before;
  carry(after, warp, here);
  if (after.flushedToBlock != before->flushedToBlock || after.flushedToDevice != before->flushedToDevice)
    order.learn(warp, here, std::move(after).settle());
}

bool Fences::isFirstAfterFence(unsigned warp, unsigned lane, const BlockOrder &order) const {
  const Lane *own = warps[warp] ? &(*warps[warp])[lane] : nullptr;
  const KnownRef &flushed = order.known(warp, lane)->flushedToBlock;
  return (own && own->block.known && !own->block.used) || (flushed && (!own || own->used != flushed));
}

/// What the address carries goes to a reader at once if it acquires, else with its next fence.
void Fences::see(const Where &at, unsigned lane, const vm::AccessEvent &event,
                 const PublishedValues::Value &value, BlockOrder &order) {
  const bool deviceInReach = scopeOf(event) >= Scope::Device || value.device.actor == order.actor();
  const bool blockInReach = value.block.actor == order.actor();
  if (!acquires(event.ordering)) {
    if (deviceInReach)
      remember(laneOf(at.warp, lane), value.device, isAtomic(event));
    if (blockInReach)
      remember(laneOf(at.warp, lane), value.block, isAtomic(event));
    return;
  }
  KnownRef known = order.known(at.warp, lane);
  if (deviceInReach)
    known = acquired(order.actor(), known, value.device);
  if (blockInReach)
    known = acquired(order.actor(), known, value.block);
  order.learn(at.warp, 1u << lane, known);
}

void Fences::access(const Where &at, const vm::AccessEvent &event, PublishedValues &values,
                    const PollInstructions &polls, BlockOrder &order) {
  const bool reads = event.kind != vm::AccessKind::Store, stores = event.kind != vm::AccessKind::Load;
  const Scope scope = scopeOf(event);
  const unsigned warp = at.warp;
  std::optional<Stamp> now;
  const bool polled = reads && event.ordering == Ordering::Volatile && polls.isPoll(at.instrId);
  vm::eachLane(event.mask, [&](unsigned lane) {
    const uint64_t address = event.addresses[lane];
    PublishedValues::Value *value = values.find(address);
    if (polled)
      laneOf(warp, lane).polled = address;
    if (value && reads)
      see(at, lane, event, *value, order);
    if (!stores)
      return;
    Published device{order.actor(), nullptr}, block = device;
    bool isFlag = releases(event.ordering);
    if (releases(event.ordering)) {
      if (!now)
        now = order.release(warp);
      block.known = snapshot(order.known(warp, lane), warp, lane, *now);
      if (scope >= Scope::Device)
        device.known = block.known;
    } else if (const Known &mine = *order.known(warp, lane); warps[warp] || mine.flushedToBlock) {
      isFlag = isFirstAfterFence(warp, lane, order);
      Lane &own = laneOf(warp, lane);
      own.block.used = true;
      own.used = mine.flushedToBlock;
      if (own.block.known)
        block.known = own.block.known = snapshot(own.block.known, warp, lane, own.block.time);
      if (own.device.known && scope >= Scope::Device)
        device.known = own.device.known = snapshot(own.device.known, warp, lane, own.device.time);
      block.known = joined(block.known, mine.flushedToBlock);
      if (scope >= Scope::Device)
        device.known = joined(device.known, mine.flushedToDevice);
    }
    if (!block.known && !device.known) {
      if (value && !isAtomic(event))
        *value = {};
      return;
    }
    if (!value)
      value = &values.at(address);
    if (isAtomic(event)) {
      value->device = merged(value->device, device);
      value->block = value->block.actor == block.actor ? merged(value->block, block) : block;
    } else {
      *value = {device, block};
    }
    value->isFlag = isFlag;
  });
}

bool Fences::mayRace(unsigned warp, unsigned lane, const AccessPair &pair, const PublishedValues &values,
                     const PollInstructions &polls, const BlockOrder &order) const {
  if (pair.mine != Strength::Volatile && pair.theirs != Strength::Volatile)
    return true;
  const bool iRead = !pair.iWrite || pair.mine == Strength::Atomic;
  const bool theyRead = !pair.theyWrite || pair.theirs == Strength::Atomic;
  if ((iRead && polls.isPoll(pair.myInstrId)) || (theyRead && polls.isPoll(pair.theirInstrId)))
    return true;
  const Lane *own = warps[warp] ? &(*warps[warp])[lane] : nullptr;
  if (pair.iWrite)
    return theyRead && isFirstAfterFence(warp, lane, order);
  if (own && own->polled == pair.address)
    return true;
  const PublishedValues::Value *value = values.find(pair.address);
  return value && value->isFlag;
}

/// What was known before it is ordered for asynchronous copies too.
void Fences::proxyFence(unsigned warp, uint32_t mask, BlockOrder &order) const {
  const Stamp now = order.release(warp);
  std::map<KnownRef, KnownRef> after; // lanes that agree go on agreeing
  vm::eachLane(mask, [&](unsigned lane) {
    KnownRef before = order.known(warp, lane);
    KnownRef &fresh = after[before];
    if (!fresh) {
      Known carried = *before;
      carried.fenced = nullptr;
      carried.own.raiseLanes(warp, mask, now);
      Known more = *before;
      more.fenced = joined(before->fenced, std::move(carried).settle());
      fresh = std::move(more).settle();
    }
  });
  if (after.size() == 1)
    order.learn(warp, mask, after.begin()->second);
  else
    vm::eachLane(mask, [&](unsigned lane) {
      order.learn(warp, 1u << lane, KnownRef(after[order.known(warp, lane)]));
    });
  order.acted(warp);
}

void Fences::fence(unsigned warp, const vm::FenceEvent &event, BlockOrder &order) {
  if (event.proxy)
    return proxyFence(warp, event.mask, order);
  const Scope scope = event.scope == Scope::None ? Scope::Device : event.scope;
  if (event.ordering != Ordering::Release)
    vm::eachLane(event.mask, [&](unsigned lane) { takeSeen(warp, lane, scope, false, order); });
  if (event.ordering == Ordering::Acquire)
    return;
  const Stamp now = order.release(warp);
  vm::eachLane(event.mask, [&](unsigned lane) {
    Lane &own = laneOf(warp, lane);
    own.block = {order.known(warp, lane), now};
    if (scope >= Scope::Device)
      own.device = own.block;
  });
}

} // namespace heddle::check
