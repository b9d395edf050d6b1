// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of the static execution, as the race and barrier checkers may see them.
//
// The checkers (`engine`) were written for executions in which every value is known. Here values may be
// unknown, and an access may be one that only perhaps happens. This class passes events on in a form that
// keeps verdicts true:
//
// 1. Asked for certain violations only, accesses that perhaps happen are not passed on; asked for possible
//    ones, all are.
// 2. Writes that leave memory as it is are no conflict. Of unknown values it is not known whether they do:
//    they count as different, except that values of one instruction count as equal where only certain
//    violations are asked for, since it is common that all threads store the same. A known value that a store
//    perhaps left there is compared.
// 3. Orderings by fences and flags depend on which thread saw which value; they are reduced to relaxed, so
//    that they order nothing.
// 4. Threads that took part and end while others go on to a block-wide barrier make the barrier undecided
//    (leftBarrier).
// 5. An execution that was given up is reported as ended without a fault: giving up is not the kernel's
//    fault.
//
// `sawDoubt` reports that something was passed on, or left out, that depends on data.
#include "check/StaticObserver.h"

#include "vm/Lanes.h"
#include "vm/Launch.h"

#include <algorithm>

namespace heddle::check {

using namespace vm;

bool StaticObserver::observes() {
  perhaps |= steering.isPerhaps();
  doubt |= perhaps;
  return !steering.isPerhaps() || !certain;
}

/// The engine forgives writes that leave memory as it is. Whether one does is not known of unknown values:
/// they count as different. Where only what is certain is asked for, those of one and the same instruction
/// count as equal, for it is common that all threads store what they all have; those of two instructions
/// still count as different.
void StaticObserver::settleValues(uint32_t site, AccessEvent &event) {
  const bool unknown = event.mask & steering.unknownValues(), over = event.mask & steering.unknownBefore();
  const bool hides = !certain && event.stored && !unknown && !over && mayHideAnother(event);
  if (!event.stored || !(unknown || over || hides))
    return;
  doubt = true;
  if (!certain) {
    event.stored = unknown ? nullptr : event.stored;
    event.at = event.stored && isStoredValueKnown(event) ? heldAt : nullptr;
    return;
  }
  static const uint8_t zeros[8 * Lanes] = {};
  static const StoredRows zeroRows = [] {
    StoredRows rows;
    std::fill(std::begin(rows.row), std::end(rows.row), zeros);
    rows.elements = 8, rows.registerBytes = rows.elementBytes = 8;
    return rows;
  }();
  if (unknown)
    event.stored = &zeroRows;
  const StoredRows &rows = *event.stored;
  eachLane(event.mask, [&](unsigned lane) {
    const bool differs = writtenByAnother(site, event.addresses[lane], event.bytes);
    for (unsigned b = 0; b < event.bytes && b < sizeof held[lane]; ++b) {
      const unsigned element = b / rows.elementBytes;
      const uint8_t *row = element < rows.elements ? rows.row[element] : nullptr;
      held[lane][b] = uint8_t((row ? row[lane * rows.registerBytes + b % rows.elementBytes] : 0) + differs);
    }
    heldAt[lane] = held[lane];
  });
  event.at = heldAt;
}

/// What memory holds where all stores since the last barrier of the block, those that may not happen too, had one known
/// value: these do not race with each other. One that may not happen hides earlier ones from the engine, so that a single
/// other value counts. Rounds of a loop of unknown length represent many, of which each may store something else; and what
/// copies bring is data.
bool StaticObserver::isStoredValueKnown(const AccessEvent &event) {
  if (steering.hasRounds() || sawCopies || event.bytes > sizeof held[0])
    return false;
  bool isKnown = true;
  eachLane(event.mask, [&](unsigned lane) {
    for (unsigned b = 0; b < event.bytes; ++b) {
      const auto found = stored.find(event.addresses[lane] + b);
      isKnown &= found != stored.end() && found->second.isOnlyOne;
      held[lane][b] = found != stored.end() ? found->second.value : uint8_t(0);
    }
    heldAt[lane] = held[lane];
  });
  return isKnown;
}

/// Whether an earlier store since the last barrier had another value: the engine compares with the last one.
bool StaticObserver::mayHideAnother(const AccessEvent &event) const {
  bool hides = false;
  eachLane(event.mask, [&](unsigned lane) {
    for (unsigned b = 0; b < event.bytes; ++b) {
      const auto found = stored.find(event.addresses[lane] + b);
      hides |= found != stored.end() && !found->second.isOnlyOne;
    }
  });
  return hides;
}

/// As the engine has it: a value that it was not given is unknown.
void StaticObserver::rememberStored(const AccessEvent &event) {
  const StoredRows *rows = event.kind == AccessKind::Store ? event.stored : nullptr;
  eachLane(event.mask, [&](unsigned lane) {
    for (unsigned b = 0; b < event.bytes; ++b) {
      const unsigned element = rows ? b / rows->elementBytes : 0;
      const bool isKnown = rows && element < rows->elements && rows->row[element];
      const uint8_t value =
          isKnown ? rows->row[element][lane * rows->registerBytes + b % rows->elementBytes] : uint8_t(0);
      auto [known, isFirst] = stored.try_emplace(event.addresses[lane] + b, Stored{value, isKnown});
      if (!isFirst)
        known->second.isOnlyOne &= isKnown && known->second.value == value;
    }
  });
}

/// All threads come to the barrier: it orders what was stored before. Threads that have ended do not.
void StaticObserver::forgetStored() {
  for (const WarpWork &each : work)
    if (each.ended)
      return;
  stored.clear();
  if (global)
    global->forgetContents();
}

bool StaticObserver::writtenByAnother(uint32_t site, uint64_t address, uint32_t bytes) const {
  for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
    if (word < writers.size() && writers[word] && writers[word] != site + 1)
      return true;
  return false;
}

void StaticObserver::rememberWriters(uint32_t site, const AccessEvent &event) {
  eachLane(event.mask, [&](unsigned lane) {
    const uint64_t last = (event.addresses[lane] + event.bytes - 1) / 4;
    if (last >= writers.size())
      writers.resize(last + 1, 0);
    for (uint64_t word = event.addresses[lane] / 4; word <= last; ++word)
      writers[word] = steering.unknownValues() >> lane & 1 ? site + 1 : 0;
  });
}

/// Where threads may have left, only what a thread wrote itself is sure to be written.
void StaticObserver::followOwners(const WarpRef &warp, SiteRef site, const AccessEvent &event) {
  eachLane(event.mask, [&](unsigned lane) {
    const uint64_t begin = event.addresses[lane], end = begin + event.bytes;
    const uint32_t thread = warp.warp * Lanes + lane + 1;
    if (owners.size() < end)
      owners.resize(end, 0);
    for (uint64_t at = begin; at < end; ++at) {
      const bool isOthers = owners[at] && owners[at] != thread;
      if (event.kind != AccessKind::Store && isOthers && steering.mayHaveLeft() && !othersReadAt)
        othersReadAt = site.instruction;
      if (event.kind != AccessKind::Load)
        owners[at] = thread;
    }
  });
}

std::optional<UndecidedReason> StaticObserver::readOfOthers() const {
  if (!othersReadAt)
    return std::nullopt;
  UndecidedReason reason;
  reason.location = steering.locationOf(*othersReadAt);
  reason.text =
      "this reads what another thread writes, and whether that thread has exited before depends on " +
      steering.leftBecause();
  reason.properties = setOf(Property::Initialization);
  return reason;
}

void StaticObserver::access(const WarpRef &warp, SiteRef site, const AccessEvent &event) {
  if (event.space == Space::Shared || event.space == Space::Global)
    workOf(warp).worked |= event.mask;
  if (event.space == Space::Global && !steering.isPerhaps()) {
    // It matters to barriers that the lanes are at work; what the address is, or who orders whom by it, does not.
    AccessEvent dull = event;
    dull.kind = event.kind == AccessKind::Load ? AccessKind::Load : AccessKind::Store;
    dull.ordering = Ordering::Weak;
    engine.access(warp, site, dull);
  }
  if (event.space == Space::Global && global && steering.globalAccess().bases) {
    perhaps |= steering.isPerhaps();
    doubt |= event.kind != AccessKind::Load || perhaps; // what is stored may be what was there
    global->access(warp, site, event, steering.isPerhaps());
  }
  if (event.space == Space::Shared && event.kind != AccessKind::Load)
    perhapsWritten |= steering.isPerhaps();
  if (event.space == Space::Shared)
    followOwners(warp, site, event);
  if (event.space != Space::Shared || !observes())
    return;
  AccessEvent plain = event;
  // Orders that fences and flags make depend on who saw whose value; and volatile orders nothing.
  if (plain.ordering > Ordering::Relaxed)
    plain.ordering = Ordering::Relaxed;
  if (plain.ordering == Ordering::Volatile)
    plain.ordering = Ordering::Weak;
  // So does which atomics came before one whose result is used.
  if (plain.kind == AccessKind::Atomic)
    plain.kind = AccessKind::Reduction;
  settleValues(site.site, plain);
  engine.access(warp, site, plain);
  if (certain && event.kind == AccessKind::Store)
    rememberWriters(site.site, event);
  if (!certain && event.kind != AccessKind::Load)
    rememberStored(plain);
}

void StaticObserver::async(const WarpRef &warp, SiteRef site, const AsyncEvent &event) {
  perhapsWritten |= event.kind == AsyncEvent::Kind::Issue && steering.isPerhaps();
  sawCopies = true;
  if (event.kind != AsyncEvent::Kind::Issue || observes())
    engine.async(warp, site, event);
}

// --- threads that end while others come to a block-wide barrier
//
// A barrier completes when all threads that are left have come: threads that have ended count as arrived. For
// threads that end at once (`if (i >= n) return;`) that is how the hardware works and what kernels rely on.
// Threads that took part (touched memory, came to a barrier) and then end while others go on to a block-wide
// barrier break its rule, that all threads of the block execute it; the hardware may or may not let them.
// What the engine calls a violation of it depends on who comes first; this does not.

StaticObserver::WarpWork &StaticObserver::workOf(const WarpRef &warp) {
  if (work.size() <= warp.warp)
    work.resize(warp.warp + 1);
  return work[warp.warp];
}

void StaticObserver::lanesExit(const WarpRef &warp, SiteRef site, uint32_t mask) {
  WarpWork &mine = workOf(warp);
  mine.ended |= mask;
  eachLane(mask, [&](unsigned lane) { mine.left[lane] = site.instruction; });
  engine.lanesExit(warp, site, mask);
  if (races)
    races->lanesExit(warp, site, mask);
}

void StaticObserver::barrierReached(const WarpRef &warp, SiteRef site, const BarrierEvent &event) {
  workOf(warp).worked |= event.mask;
  if (event.expectedThreads == 0 && event.barrier < HardwareBarriers)
    wholeBarrier[event.barrier] = site.instruction;
  engine.barrierReached(warp, site, event);
  if (races)
    races->barrierReached(warp, site, event);
}

void StaticObserver::barrierCompleted(const WarpRef &warp, unsigned barrier, uint64_t generation) {
  ++completed;
  if (barrier < HardwareBarriers && wholeBarrier[barrier]) {
    for (const WarpWork &each : work) {
      endedEarly |= (each.ended & ~each.worked) != 0;
      if (const uint32_t left = each.ended & each.worked; left && !leftAt)
        leftAt = wholeBarrier[barrier], leftFrom = each.left[firstLane(left)];
    }
    wholeBarrier[barrier] = nullptr;
    if (!certain)
      forgetStored();
  }
  engine.barrierCompleted(warp, barrier, generation);
  if (races)
    races->barrierCompleted(warp, barrier, generation);
}

std::optional<UndecidedReason> StaticObserver::leftBarrier() const {
  if (!leftAt)
    return std::nullopt;
  UndecidedReason reason;
  reason.location = steering.locationOf(*leftAt);
  reason.text =
      "some threads of the block exit before this barrier, after they have accessed memory or reached a "
      "barrier";
  reason.notes.push_back({steering.locationOf(*leftFrom), "they end here: let them reach the barrier too"});
  reason.properties = setOf(Property::BarrierUse) | setOf(Property::Deadlock);
  return reason;
}

/// The end of an execution that we gave up ourselves is no finding.
void StaticObserver::kernelEnd(const LaunchResult &result) {
  LaunchResult reported = result;
  if (steering.gaveUp()) {
    reported.status = LaunchStatus::Ok;
    reported.fault.reset();
  }
  engine.kernelEnd(reported);
  if (races)
    races->kernelEnd(reported);
}

} // namespace heddle::check
