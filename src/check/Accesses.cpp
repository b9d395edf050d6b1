// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics: what the shadows find is judged here.
#include "check/Parts.h"
#include "ptx/Module.h"
#include "vm/Code.h"
#include "vm/Lanes.h"

#include <cstring>

namespace heddle::check {
namespace {

using vm::AccessEvent;
using vm::AccessKind;
using vm::Ordering;

bool writes(const AccessEvent &event) {
  return event.kind == AccessKind::Store || event.kind == AccessKind::Atomic ||
         event.kind == AccessKind::Reduction;
}
bool isAtomic(const AccessEvent &event) {
  return event.kind == AccessKind::Atomic || event.kind == AccessKind::Reduction;
}

Strength strengthOf(const AccessEvent &event) {
  if (isAtomic(event))
    return Strength::Atomic;
  return event.ordering == Ordering::Weak       ? Strength::Weak
         : event.ordering == Ordering::Volatile ? Strength::Volatile
                                                : Strength::Relaxed;
}

uint32_t elementBytes(const AccessEvent &event) { return event.bytes / std::max(1u, event.elements); }

/// The bytes that a lane's store puts at `offset` of its address; false where nobody says.
bool storedByte(const AccessEvent &event, unsigned lane, unsigned offset, uint8_t &byte) {
  const vm::StoredRows *rows = event.stored;
  if (!rows || !rows->elementBytes)
    return false;
  const unsigned element = offset / rows->elementBytes;
  if (element >= rows->elements || !rows->row[element])
    return false;
  byte = rows->row[element][lane * rows->registerBytes + offset % rows->elementBytes];
  return true;
}

/// What a lane's store puts at an address, as one number.
CellValue storedValue(const AccessEvent &event, unsigned lane, uint64_t address, unsigned bytes) {
  uint32_t value = 0;
  for (unsigned b = 0; b < bytes; ++b) {
    uint8_t byte;
    if (!storedByte(event, lane, unsigned(address + b - event.addresses[lane]), byte))
      return std::nullopt;
    value |= uint32_t(byte) << 8 * b;
  }
  return value;
}

/// What the memory holds there before the store.
CellValue heldValue(const AccessEvent &event, unsigned lane, uint64_t address, unsigned bytes) {
  if (!event.at)
    return std::nullopt;
  uint32_t value = 0;
  std::memcpy(&value, event.at[lane] + (address - event.addresses[lane]), bytes);
  return value;
}

const char *syncHint(bool sameWarp) {
  return sameWarp ? "lanes of a warp need not run in step: a __syncwarp() between the two orders them"
                  : "a __syncthreads() between the two orders them";
}

/// Judges what the shadow of shared memory finds in one instruction.
class SharedCourt final : public Judge {
public:
  SharedCourt(Checker::Parts &checker, const Scene &where, const AccessEvent &what)
      : parts(checker), scene(where), event(what) {}

  bool knows(unsigned lane, unsigned thread, Stamp stamp) override {
    return (parts.options.lockstep && thread / 32 == scene.warp.index) ||
           scene.warp.known(lane)->own.knows(thread / 32, thread % 32, stamp);
  }

  CellValue stored(unsigned lane, uint64_t address, unsigned bytes) override {
    return storedValue(event, lane, address, bytes);
  }
  CellValue held(unsigned lane, uint64_t address, unsigned bytes) override {
    return heldValue(event, lane, address, bytes);
  }

  bool clash(unsigned lane, uint64_t address, const Past &past) override {
    const Side me{&scene.launch, scene.block.index, scene.warp.index * 32 + lane,
                  scene.place,   writes(event),     isAtomic(event)};
    const Side other{&scene.launch,  scene.block.index, past.thread,
                     past.place,     past.write,        past.strength == Strength::Atomic,
                     past.flags != 0};
    auto name = [&] { return sharedName(*scene.launch.kernel, address, elementBytes(event)); };
    if (past.flags) {
      clashWithCopy(me, other, past, name());
      return true;
    }
    const bool sameWarp = past.thread / 32 == scene.warp.index;
    if (past.sameInstruction) {
      if (isAtomic(event) || past.sameValue)
        return false;
      if (!parts.wasTold(Rule::RaceShared, me.place, other.place))
        parts.tellRace(
            Rule::RaceShared, me, other, name(),
            "lanes of one instruction write the same place: let one of them write, or use an atomic",
            "different values by one instruction");
      return true;
    }
    if (isStrong(strengthOf(event)) && isStrong(past.strength) &&
        parts.mayMeet(
            scene, lane,
            {address, true, strengthOf(event), past.strength, scene.place, past.place, me.write, past.write}))
      return false;
    if (past.sameValue)
      return false;
    const Rule rule = sameWarp ? Rule::WarpLockstep : Rule::RaceShared;
    if (parts.badWait(scene, me.thread, past.thread))
      return true;
    if (me.write && !past.write)
      parts.forgetUnwritten(scene.block.unwritten, address);
    if (parts.wasTold(rule, me.place, other.place))
      return true;
    if ((me.atomic && !past.write) || (other.atomic && !me.write))
      parts.deferPlainRead(rule, me.atomic ? other : me, me.atomic ? me : other, address, name(),
                           syncHint(sameWarp));
    else
      parts.tellRace(rule, me, other, name(), syncHint(sameWarp));
    return true;
  }

  void unwritten(unsigned lane, uint64_t address) override {
    if (parts.options.uninitialized)
      parts.noteUnwritten(scene.block.unwritten, address, scene.place,
                          fmt::format("{} reads {}, which no thread of {} has written",
                                      threadName(scene.launch.block, scene.warp.index * 32 + lane),
                                      sharedName(*scene.launch.kernel, address, elementBytes(event)),
                                      blockName(scene.launch.grid, scene.block.index)));
  }

private:
  void clashWithCopy(const Side &me, const Side &other, const Past &past, const std::string &name) {
    if (!past.write)
      return parts.tellRace(Rule::AsyncSource, me, other, name,
                            "wait with cp.async.bulk.wait_group.read before the source is written again");
    if (past.flags & Past::Engine && parts.badWait(scene, me.thread, past.thread))
      return;
    parts.tellRace(
        Rule::AsyncEarly, me, other, name,
        past.flags & Past::Engine
            ? "wait for the mbarrier of the copy, with the parity of its phase, before touching the target"
            : "wait for the copy (cp.async.wait_group), then a barrier before other threads read it");
  }

  Checker::Parts &parts;
  const Scene &scene;
  const AccessEvent &event;
};

/// The same for global memory. `event` is null for accesses of asynchronous copies.
class GlobalCourt final : public GlobalJudge {
public:
  GlobalCourt(Checker::Parts &checker, const Scene &where, const AccessEvent *what, bool write,
              Strength howStrong, vm::Scope howFar, uint32_t elementSize)
      : parts(checker), scene(where), event(what), isWrite(write), strength(howStrong), scope(howFar),
        element(elementSize) {}

  bool knows(unsigned lane, const GlobalPast &past) override {
    const Known &known = *scene.warp.known(lane);
    if (past.actor == scene.block.actor)
      return (parts.options.lockstep && past.thread / 32 == scene.warp.index) ||
             known.own.knows(past.thread / 32, past.thread % 32, past.stamp);
    if (past.actor >= scene.launch.firstActor && past.actor - scene.launch.firstActor < scene.launch.blocks) {
      const BlockClock *clock = known.of(past.actor);
      return clock && clock->knows(past.thread / 32, past.thread % 32, past.stamp);
    }
    return parts.isOrdered(past.actor, scene.launch);
  }

  CellValue stored(unsigned lane, uint64_t address, unsigned bytes) override {
    return event ? storedValue(*event, lane, address, bytes) : std::nullopt;
  }
  CellValue held(unsigned lane, uint64_t address, unsigned bytes) override {
    return event ? heldValue(*event, lane, address, bytes) : std::nullopt;
  }

  bool clash(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) override {
    const LaunchState *whose = parts.launchOfActor(past.actor);
    const Side me{&scene.launch, scene.block.index, scene.warp.index * 32 + lane,
                  scene.place,   isWrite,           strength == Strength::Atomic,
                  !event};
    const Side other{whose,      whose ? past.actor - whose->firstActor : 0, past.thread, past.place,
                     pastWrites, past.strength == Strength::Atomic};
    const bool sameBlock = past.actor == scene.block.actor;
    const bool sameWarp = sameBlock && past.thread / 32 == scene.warp.index;
    if (past.sameInstruction) {
      if (strength == Strength::Atomic || past.sameValue)
        return false;
      if (!parts.wasTold(Rule::RaceGlobal, me.place, other.place))
        parts.tellRace(
            Rule::RaceGlobal, me, other, nameOf(address),
            "lanes of one instruction write the same place: let one of them write, or use an atomic",
            "different values by one instruction");
      return true;
    }
    if (isStrong(strength) && isStrong(past.strength) &&
        (sameBlock || (scope >= vm::Scope::Device && past.scope >= vm::Scope::Device)) &&
        parts.mayMeet(
            scene, lane,
            {address, false, strength, past.strength, scene.place, past.place, isWrite, pastWrites}))
      return false;
    if (past.sameValue)
      return false;
    if (isWrite && !pastWrites)
      parts.forgetUnwritten(scene.launch.unwritten, address);
    const bool sameLaunch = whose == &scene.launch;
    const Rule rule = !sameLaunch ? Rule::RaceLaunches : sameWarp ? Rule::WarpLockstep : Rule::RaceGlobal;
    if (parts.wasTold(rule, me.place, other.place))
      return true;
    if (!sameLaunch)
      parts.tellRace(
          rule, me, other, nameOf(address),
          "record an event after the one and let the other's stream wait for it, or use one stream");
    else if ((me.atomic && !pastWrites) || (other.atomic && !isWrite))
      parts.deferPlainRead(rule, me.atomic ? other : me, me.atomic ? me : other, address, nameOf(address),
                           "read it with an atomic, or after a barrier or a fence and flag that order it");
    else
      parts.tellRace(
          rule, me, other, nameOf(address),
          sameBlock ? syncHint(sameWarp)
                    : "blocks run in any order: use an atomic, a fence with a flag, a grid-wide sync, or two "
                      "launches");
    return true;
  }

  void incoherent(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) override {
    if (!parts.isNew(Rule::MemoryNonCoherent, scene.place, past.place))
      return;
    const std::string me = threadName(scene.launch.block, scene.warp.index * 32 + lane);
    const std::string other = threadName(scene.launch.block, past.thread);
    const uint64_t otherBlock = past.actor - scene.launch.firstActor;
    const uint32_t read = pastWrites ? scene.place : past.place,
                   write = pastWrites ? past.place : scene.place;
    parts.tell(Rule::MemoryNonCoherent, scene.launch, read,
               fmt::format("{} is read here through the read-only path by {} of {} and written in the same "
                           "launch by {} of {}; no barrier makes such a read see the write",
                           nameOf(address), pastWrites ? me : other,
                           blockName(scene.launch.grid, pastWrites ? scene.block.index : otherBlock),
                           pastWrites ? other : me,
                           blockName(scene.launch.grid, pastWrites ? otherBlock : scene.block.index)),
               write, "written here",
               "__ldg() and pointers that are const __restrict__ are for memory that the kernel does not "
               "write: leave out __restrict__, or read with an ordinary load");
  }

  bool unwritten(unsigned lane, uint64_t address, uint32_t bytes) override {
    if (parts.startsWritten(address, bytes))
      return true;
    if (parts.options.uninitialized)
      parts.noteUnwritten(scene.launch.unwritten, address, scene.place,
                          fmt::format("{} of {} reads {}, which nothing has written",
                                      threadName(scene.launch.block, scene.warp.index * 32 + lane),
                                      blockName(scene.launch.grid, scene.block.index), nameOf(address)));
    return false;
  }

  void startsWritten(uint64_t address, uint64_t (&bits)[64]) override {
    constexpr uint64_t Step = 64; // what begins inside is found by unwritten()
    for (uint64_t i = 0; i < 64; ++i) {
      const uint64_t at = address + i * Step;
      if (parts.startsWritten(at, 1) && parts.startsWritten(at + Step - 1, 1) && isOneRange(at, Step))
        bits[i] = ~uint64_t(0);
    }
  }

private:
  /// Both ends are written; is all between?
  bool isOneRange(uint64_t at, uint64_t bytes) const {
    auto range = parts.hostWritten.upper_bound(at);
    return range != parts.hostWritten.begin() && std::prev(range)->second >= at + bytes;
  }
  std::string nameOf(uint64_t address) const { return parts.globalName(scene.launch, address, element); }

  Checker::Parts &parts;
  const Scene &scene;
  const AccessEvent *event;
  const bool isWrite;
  const Strength strength;
  const vm::Scope scope;
  const uint32_t element;
};

/// Whether an atomic's result says anything about what was there before.
bool needsOldValue(const AccessEvent &event, const Checker::Parts &parts, uint32_t place) {
  const ptx::Instr *instruction = parts.places.instruction(place);
  return isAtomic(event) && instruction && instruction->mods.atom != ptx::AtomOp::Exch;
}

} // namespace

void Checker::Parts::checkArray(const Scene &scene, const AccessEvent &event,
                                const SharedArrays::Array &array) {
  vm::eachLane(event.mask, [&](unsigned lane) {
    const uint64_t address = event.addresses[lane];
    if ((address >= array.begin && address + event.bytes <= array.end) ||
        !isNew(Rule::MemorySharedArray, scene.place, 0))
      return;
    const int64_t index = int64_t(address - array.begin);
    tell(Rule::MemorySharedArray, scene.launch, scene.place,
         fmt::format("{} of {} {} byte {} of '{}', which {}; that is {}",
                     threadName(scene.launch.block, scene.warp.index * 32 + lane),
                     blockName(scene.launch.grid, scene.block.index), writes(event) ? "writes" : "reads",
                     index, readableVariable(array.variable->name),
                     array.end == ~uint64_t(0) ? std::string("begins at byte 0")
                                               : fmt::format("has {} bytes", array.variable->bytes),
                     sharedName(*scene.launch.kernel, address, elementBytes(event))),
         0, {}, "the index goes beyond the array: the next array only happens to be there");
  });
}

void Checker::Parts::accessShared(const Scene &scene, const AccessEvent &event) {
  if (const SharedArrays::Array &array = scene.launch.facts->arrays.of(scene.place - scene.launch.firstPlace);
      array.variable)
    checkArray(scene, event, array);
  SharedCourt court(*this, scene, event);
  Touch touch;
  touch.warp = scene.warp.index, touch.mask = event.mask, touch.bytes = event.bytes;
  touch.addresses = event.addresses;
  touch.stamp = scene.warp.stamp, touch.known = scene.warp.leastKnown();
  touch.place = scene.place;
  touch.strength = strengthOf(event);
  touch.returns = event.kind == AccessKind::Atomic;
  if (!writes(event)) {
    scene.block.shared.read(touch, court);
  } else {
    if (!scene.block.mbarriers.empty())
      checkOverwritten(scene, event);
    if (isAtomic(event) && needsOldValue(event, *this, scene.place))
      vm::eachLane(event.mask, [&](unsigned lane) {
        Past past;
        if (!scene.block.shared.lastWrite(uint32_t(event.addresses[lane]), past))
          court.unwritten(lane, event.addresses[lane]);
      });
    scene.block.shared.write(touch, court);
  }
  if (scene.launch.inClusters)
    accessCluster(scene, event, scene.block.index);
  if (isAtomic(event) && hasPlainReads)
    swapped(scene, event);
  if (isStrong(touch.strength))
    publishAndSee(scene, event);
  else if (touch.strength == Strength::Weak && writes(event) && !scene.block.locations.empty())
    forgetLocations(scene, event);
}

void Checker::Parts::touchGlobal(const Scene &scene, uint32_t mask, uint32_t bytes, const uint64_t *addresses,
                                 Strength strength, vm::Scope scope, bool write, bool reads,
                                 const AccessEvent *event, bool nonCoherent) {
  if (!options.globalMemory)
    return;
  GlobalCourt court(*this, scene, event, write, strength, scope, event ? elementBytes(*event) : 4);
  GlobalTouch touch;
  touch.mask = mask, touch.bytes = bytes, touch.addresses = addresses;
  touch.self = {
      scene.block.actor, scene.warp.stamp, scene.place, uint16_t(scene.warp.index * 32), strength, scope};
  touch.self.byCopy = event == nullptr;
  touch.self.returns = event && event->kind == AccessKind::Atomic;
  touch.known = scene.warp.leastKnown();
  touch.orderedBelow = scene.launch.orderedBelow;
  touch.firstActor = scene.launch.firstActor;
  touch.nonCoherent = nonCoherent;
  std::lock_guard lock(guard);
  if (write)
    global.write(touch, court, reads);
  else
    global.read(touch, court, true);
}

void Checker::Parts::accessGlobal(const Scene &scene, const AccessEvent &event, const vm::SiteRef &site) {
  const bool nonCoherent = site.instruction && site.instruction->mods.has(ptx::Flag::NonCoherent);
  const bool write = writes(event);
  const Strength strength = strengthOf(event);
  const vm::Scope scope = strength == Strength::Volatile ? vm::Scope::System : event.scope;
  if (scene.block.copies)
    vm::eachLane(event.mask, [&](unsigned lane) {
      checkPending(scene, event.addresses[lane], event.addresses[lane] + event.bytes, write, lane);
    });
  if (!scene.launch.loose.empty()) {
    std::vector<LaunchState::LooseCopy> loose;
    {
      std::lock_guard lock(guard);
      loose = scene.launch.loose;
    }
    for (const LaunchState::LooseCopy &copy : loose)
      vm::eachLane(event.mask, [&](unsigned lane) {
        const uint64_t at = event.addresses[lane];
        if (at < copy.end && at + event.bytes > copy.begin && (write || copy.write) &&
            isNew(Rule::RaceLaunches, scene.place, 0))
          tell(Rule::RaceLaunches, scene.launch, scene.place,
               fmt::format("kernel {} {} {}, which a {} of another stream {}; nothing orders the two",
                           scene.launch.name, write ? "writes" : "reads",
                           globalName(scene.launch, at, elementBytes(event)), copy.what,
                           copy.write ? "writes" : "reads"),
               0, {},
               "record an event after the one and let the other's stream wait for it, or use one stream");
      });
  }
  touchGlobal(scene, event.mask, event.bytes, event.addresses, strength, scope, write,
              isAtomic(event) && needsOldValue(event, *this, scene.place), &event, nonCoherent);
  if (isAtomic(event) && hasPlainReads)
    swapped(scene, event);
  if (isStrong(strength))
    publishAndSee(scene, event);
  else if (write)
    forgetLocations(scene, event);
}

void Checker::Parts::accessLocal(const Scene &scene, const AccessEvent &event, const vm::SiteRef &site) {
  std::vector<uint32_t> &written = scene.warp.localWritten;
  uint64_t end = 0;
  vm::eachLane(event.mask, [&](unsigned lane) { end = std::max(end, event.addresses[lane] + event.bytes); });
  if (written.size() < end)
    written.resize(end);
  if (writes(event)) {
    vm::eachLane(event.mask, [&](unsigned lane) {
      for (uint32_t b = 0; b < event.bytes; ++b)
        written[event.addresses[lane] + b] |= 1u << lane;
    });
    return;
  }
  // Results of calls that nobody set are the compiler's business: it reads them to throw them away.
  if (!options.uninitialized || site.instruction->mods.space == ptx::Space::Param)
    return;
  vm::eachLane(event.mask, [&](unsigned lane) {
    for (uint32_t b = 0; b < event.bytes; ++b)
      if (written[event.addresses[lane] + b] >> lane & 1)
        return;
    if (isNew(Rule::UninitializedLocal, scene.place, 0))
      tell(Rule::UninitializedLocal, scene.launch, scene.place,
           fmt::format("{} reads {} bytes of a local variable that it has not written",
                       threadName(scene.launch.block, scene.warp.index * 32 + lane), event.bytes));
  });
}

} // namespace heddle::check
