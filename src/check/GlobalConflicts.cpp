// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same as SharedConflicts.cpp for global memory, which blocks, launches and the host access. What a thread
// knows of its own block is in its clock, of other blocks of the launch in those clocks that fences and grid
// barriers brought; between launches the order of streams decides.
#include "check/AccessEvents.h"
#include "check/Conflicts.h"

namespace heddle::check {
namespace {

const char *hintFor(bool sameBlock, bool sameWarp) {
  return sameWarp ? "lanes of a warp need not run in step: a __syncwarp() between the two orders them"
         : sameBlock
             ? "a __syncthreads() between the two orders them"
             : "blocks run in any order: use an atomic, a fence with a flag, a grid-wide sync, or two "
               "launches";
}

constexpr const char *scopeHint =
    "the scope of one of them is the block, and other blocks do not see it as atomic: give both the scope of "
    "the device (atomicAdd() instead of atomicAdd_block(), cuda::thread_scope_device)";

} // namespace

bool GlobalConflicts::knows(unsigned lane, const GlobalPast &past) {
  const Known &known = *evidence.order.known(at.warp, lane);
  if (past.actor == at.actor)
    return (evidence.options.lockstep && past.thread / 32 == at.warp) ||
           known.own.knows(past.thread / 32, past.thread % 32, past.stamp);
  if (at.launch.has(past.actor)) {
    const BlockClock *clock = known.of(past.actor);
    return clock && clock->knows(past.thread / 32, past.thread % 32, past.stamp);
  }
  return evidence.launches.isOrdered(past.actor, at.launch);
}

CellValue GlobalConflicts::stored(unsigned lane, uint64_t address, unsigned bytes) {
  return access.event ? storedValue(*access.event, lane, address, bytes) : std::nullopt;
}
CellValue GlobalConflicts::held(unsigned lane, uint64_t address, unsigned bytes) {
  return access.event ? heldValue(*access.event, lane, address, bytes) : std::nullopt;
}

std::string GlobalConflicts::nameOf(uint64_t address) const {
  return evidence.names.of(at.launch, address, access.elementBytes);
}

/// Atomic or relaxed accesses that would not race if their scopes reached each other.
bool GlobalConflicts::isOutOfScope(const GlobalPast &past) const {
  const auto hasScope = [](Strength strength) {
    return strength == Strength::Atomic || strength == Strength::Relaxed;
  };
  return hasScope(access.strength) && hasScope(past.strength) && past.actor != at.actor &&
         (access.scope < vm::Scope::Device || past.scope < vm::Scope::Device);
}

/// Strong accesses whose scopes reach each other, and which are meant.
bool GlobalConflicts::mayRace(unsigned lane, uint64_t address, const GlobalPast &past,
                              bool pastWrites) const {
  const bool inReach =
      past.actor == at.actor || (access.scope >= vm::Scope::Device && past.scope >= vm::Scope::Device);
  return isStrong(access.strength) && isStrong(past.strength) && inReach &&
         evidence.fences.mayRace(
             at.warp, lane,
             {address, access.strength, past.strength, at.instrId, past.instrId, access.write, pastWrites},
             evidence.values, evidence.polls, evidence.order);
}

bool GlobalConflicts::clash(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) {
  const LaunchFacts *whose = evidence.launches.ofActor(past.actor);
  const Side me{&at.launch,   at.block,     at.thread(lane),
                at.instrId,   access.write, access.strength == Strength::Atomic,
                !access.event};
  const Side other{whose,      whose ? past.actor - whose->firstActor : 0, past.thread, past.instrId,
                   pastWrites, past.strength == Strength::Atomic};
  Reporter &reporter = sinks.reporter;
  if (past.sameInstruction) {
    if (me.atomic || past.sameValue)
      return false;
    if (!reporter.wasReported(Rule::RaceGlobal, me.instrId, other.instrId))
      reporter.reportRace(
          Rule::RaceGlobal, me, other, nameOf(address),
          "lanes of one instruction write to the same address: let one of them write, or use an atomic",
          valuesOfOneInstruction(access.event));
    return true;
  }
  if (mayRace(lane, address, past, pastWrites) || past.sameValue)
    return false;
  if (me.write && !pastWrites) {
    sinks.unwritten.forget(address);
    if (sinks.late && whose && whose != &at.launch)
      sinks.late->wroteAfter(*whose, address, address + ReportedReads::MostBytes);
  }
  const bool sameLaunch = whose == &at.launch, sameBlock = past.actor == at.actor,
             sameWarp = sameBlock && past.thread / 32 == at.warp;
  const Rule rule = !sameLaunch ? Rule::RaceLaunches : sameWarp ? Rule::WarpLockstep : Rule::RaceGlobal;
  if (reporter.wasReported(rule, me.instrId, other.instrId))
    return true;
  if (!sameLaunch)
    reporter.reportRace(rule, me, other, nameOf(address),
                        "record an event after the first and make the stream of the second wait for it "
                        "(cudaStreamWaitEvent), or use one stream");
  else if ((me.atomic && !pastWrites) || (other.atomic && !me.write))
    sinks.plainReads.defer(rule, me.atomic ? other : me, me.atomic ? me : other, address, nameOf(address),
                           "read it with an atomic, or after a barrier or a fence and flag that order it");
  else
    reporter.reportRace(rule, me, other, nameOf(address),
                        isOutOfScope(past) ? scopeHint : hintFor(sameBlock, sameWarp));
  return true;
}

void GlobalConflicts::incoherent(unsigned lane, uint64_t address, const GlobalPast &past, bool pastWrites) {
  if (!sinks.reporter.isNew(Rule::MemoryNonCoherent, at.instrId, past.instrId))
    return;
  const std::string me = at.threadText(lane), other = threadName(at.launch.block, past.thread);
  const uint64_t otherBlock = past.actor - at.launch.firstActor;
  const uint32_t read = pastWrites ? at.instrId : past.instrId,
                 write = pastWrites ? past.instrId : at.instrId;
  sinks.reporter.report(
      Rule::MemoryNonCoherent, at.launch, read,
      fmt::format("{} is read here through the read-only path by {} of {} and written in the same "
                  "launch by {} of {}; no barrier makes such a read see the write",
                  nameOf(address), pastWrites ? me : other,
                  blockName(at.launch.grid, pastWrites ? at.block : otherBlock), pastWrites ? other : me,
                  blockName(at.launch.grid, pastWrites ? otherBlock : at.block)),
      write, "written here",
      "__ldg() and pointers that are const __restrict__ are for memory that the kernel does not "
      "write: leave out __restrict__, or read with an ordinary load");
}

bool GlobalConflicts::unwritten(unsigned lane, uint64_t address, uint32_t bytes) {
  if (evidence.hostWrites.startsWritten(address, bytes))
    return true;
  if (evidence.options.uninitialized)
    sinks.unwritten.note(address, at.instrId, [&] {
      return fmt::format("{} of {} reads {}, which nothing has written", at.threadText(lane), at.blockText(),
                         nameOf(address));
    });
  return false;
}

void GlobalConflicts::startsWritten(uint64_t address, uint64_t (&bits)[64]) {
  constexpr uint64_t Step = 64; // what begins inside is found by unwritten()
  const HostWrites &writes = evidence.hostWrites;
  for (uint64_t i = 0; i < 64; ++i) {
    const uint64_t begin = address + i * Step;
    if (writes.startsWritten(begin, 1) && writes.startsWritten(begin + Step - 1, 1) &&
        writes.isOneRange(begin, Step))
      bits[i] = ~uint64_t(0);
  }
}

} // namespace heddle::check
