// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two accesses to a word of shared memory that nothing orders, one of them a write. Not all of these are races:
// atomics meet as they like, strong accesses may be meant (Publication.cpp), stores of the value that is there
// already change nothing, and what follows from a wait that has been reported is not reported again. A plain
// read that meets atomics waits for what its thread does next (PlainReads.h).
#include "check/AccessEvents.h"
#include "check/Conflicts.h"

namespace heddle::check {
namespace {

const char *syncHint(bool sameWarp) {
  return sameWarp ? "lanes of a warp need not run in step: a __syncwarp() between the two orders them"
                  : "a __syncthreads() between the two orders them";
}

} // namespace

bool SharedConflicts::knows(unsigned lane, unsigned thread, Stamp stamp) {
  return (evidence.options.lockstep && thread / 32 == at.warp) ||
         evidence.order.knows(at.warp, lane, thread, stamp);
}

CellValue SharedConflicts::stored(unsigned lane, uint64_t address, unsigned bytes) {
  return storedValue(event, lane, address, bytes);
}
CellValue SharedConflicts::held(unsigned lane, uint64_t address, unsigned bytes) {
  return heldValue(event, lane, address, bytes);
}

std::string SharedConflicts::nameOf(uint64_t address) const {
  return sharedName(*at.launch.kernel, address, elementBytes(event));
}

bool SharedConflicts::clash(unsigned lane, uint64_t address, const Past &past) {
  const Side me{&at.launch, at.block, at.thread(lane), at.instrId, writes(event), isAtomic(event)};
  const Side other{&at.launch,     at.block,   past.thread,
                   past.instrId,   past.write, past.strength == Strength::Atomic,
                   past.flags != 0};
  if (past.flags) {
    reportCopy(me, other, past, address);
    return true;
  }
  if (past.sameInstruction) {
    if (isAtomic(event) || past.sameValue)
      return false;
    reportSameInstruction(me, other, address);
    return true;
  }
  if (isStrong(strengthOf(event)) && isStrong(past.strength) &&
      evidence.fences.mayRace(
          at.warp, lane,
          {address, strengthOf(event), past.strength, at.instrId, past.instrId, me.write, past.write},
          evidence.values, evidence.polls, evidence.order))
    return false;
  if (past.sameValue)
    return false;
  if (evidence.mbarriers.badWait(me.thread, past.thread, evidence.order))
    return true;
  if (me.write && !past.write)
    sinks.unwritten.forget(address);
  const bool sameWarp = past.thread / 32 == at.warp;
  const Rule rule = sameWarp ? Rule::WarpLockstep : Rule::RaceShared;
  if (sinks.reporter.wasReported(rule, me.instrId, other.instrId))
    return true;
  if ((me.atomic && !past.write) || (other.atomic && !me.write))
    sinks.plainReads.defer(rule, me.atomic ? other : me, me.atomic ? me : other, address, nameOf(address),
                           syncHint(sameWarp));
  else
    sinks.reporter.reportRace(rule, me, other, nameOf(address), syncHint(sameWarp));
  return true;
}

void SharedConflicts::reportSameInstruction(const Side &me, const Side &other, uint64_t address) {
  if (!sinks.reporter.wasReported(Rule::RaceShared, me.instrId, other.instrId))
    sinks.reporter.reportRace(
        Rule::RaceShared, me, other, nameOf(address),
        "lanes of one instruction write to the same address: let one of them write, or use an atomic",
        valuesOfOneInstruction(&event));
}

void SharedConflicts::reportCopy(const Side &me, const Side &other, const Past &past, uint64_t address) {
  if (!past.write)
    return sinks.reporter.reportRace(
        Rule::AsyncSource, me, other, nameOf(address),
        "wait with cp.async.bulk.wait_group.read before the source is written again");
  const bool engine = past.flags & Past::Engine;
  if (engine && evidence.mbarriers.badWait(me.thread, past.thread, evidence.order))
    return;
  sinks.reporter.reportRace(
      Rule::AsyncEarly, me, other, nameOf(address),
      engine ? "wait for the mbarrier of the copy, with the parity of its phase, before touching the target"
             : "wait for the copy (cp.async.wait_group), then a barrier before other threads read it");
}

void SharedConflicts::unwritten(unsigned lane, uint64_t address) {
  if (evidence.options.uninitialized)
    sinks.unwritten.note(address, at.instrId, [&] {
      return fmt::format("{} reads {}, which no thread of {} has written", at.threadText(lane),
                         nameOf(address), at.blockText());
    });
}

} // namespace heddle::check
