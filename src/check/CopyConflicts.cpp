// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy writes or reads shared memory at any time from its start on, so what threads do there must be ordered
// before the start. For bulk copies that is not enough: the copy engine sees ordinary stores only after a proxy
// fence, and what was known at fences of that kind is a part of what each lane knows (Known::fenced).
#include "check/Conflicts.h"

namespace heddle::check {

bool CopyConflicts::knows(unsigned lane, unsigned thread, Stamp stamp) {
  return evidence.order.knows(at.warp, lane, thread, stamp);
}

bool CopyConflicts::clash(unsigned lane, uint64_t address, const Past &past) {
  const Side me{&at.launch, at.block, at.thread(lane), at.instrId, write, false, true};
  const Side other{&at.launch,     at.block,   past.thread,
                   past.instrId,   past.write, past.strength == Strength::Atomic,
                   past.flags != 0};
  const std::string name = sharedName(*at.launch.kernel, address, 4);
  if (write && !past.write)
    sinks.unwritten.forget(address);
  if (past.flags & Past::Pending) {
    sinks.reporter.reportRace(past.write ? Rule::AsyncEarly : Rule::AsyncSource, me, other, name,
                              "wait for the first copy before starting another over it");
    return true;
  }
  const Rule rule = past.flags & Past::Engine     ? Rule::AsyncEarly
                    : past.thread / 32 == at.warp ? Rule::WarpLockstep
                                                  : Rule::RaceShared;
  if (!evidence.mbarriers.badWait(me.thread, past.thread, evidence.order))
    sinks.reporter.reportRace(
        rule, me, other, name,
        past.write || !write
            ? "the copy may start only when no thread uses any more what it overwrites or reads: wait at "
              "a barrier first"
            : "a barrier between the two orders them: before the copy starts, if what it overwrites is read "
              "here; after the wait for the copy, if what it brings is");
  return true;
}

void CopyConflicts::unwritten(unsigned lane, uint64_t address) {
  if (write || at.launch.inClusters || !evidence.options.uninitialized ||
      !sinks.reporter.isNew(Rule::UninitializedShared, at.instrId, 0))
    return;
  sinks.reporter.report(Rule::UninitializedShared, at.launch, at.instrId,
                        fmt::format("{} copies {} out, which no thread of {} has written",
                                    at.threadText(lane), sharedName(*at.launch.kernel, address, 4),
                                    at.blockText()));
}

void CopyConflicts::checkProxy(const PendingCopy &copy, const SharedShadow &shared) {
  if (!engine)
    return;
  for (uint32_t offset = copy.shared; offset < copy.shared + copy.bytes; offset += 4) {
    Past past;
    if (shared.lastWrite(offset, past) && !past.flags && isUnfenced(copy.lane, past.thread, past.stamp))
      return reportProxy(write ? "writes" : "reads", sharedName(*at.launch.kernel, offset, 4), past.thread,
                         past.instrId);
  }
}

void CopyConflicts::checkGlobalProxy(const PendingCopy &copy, const GlobalShadow &global,
                                     const GlobalNames &names) {
  if (!engine || !evidence.options.globalMemory)
    return;
  std::optional<GlobalPast> found;
  global.each(copy.globalBegin, copy.bytes, [&](const GlobalPast &past, bool pastWrites) {
    if (!found && pastWrites && !past.byCopy && past.actor == at.actor &&
        isUnfenced(copy.lane, past.thread, past.stamp))
      found = past;
  });
  if (found)
    reportProxy("reads", names.of(at.launch, copy.globalBegin, 4), found->thread, found->instrId);
}

/// Ordered before this copy, but only for threads. What is not even ordered has been reported as a race.
bool CopyConflicts::isUnfenced(unsigned lane, unsigned thread, Stamp stamp) {
  const KnownRef &fenced = evidence.order.known(at.warp, lane)->fenced;
  if (fenced && fenced->own.knows(thread / 32, thread % 32, stamp))
    return false;
  return thread == at.thread(lane) || knows(lane, thread, stamp);
}

void CopyConflicts::reportProxy(const char *does, const std::string &what, unsigned thread,
                                uint32_t instrId) {
  if (sinks.reporter.isNew(Rule::AsyncProxy, at.instrId, instrId))
    sinks.reporter.report(Rule::AsyncProxy, at.launch, at.instrId,
                          fmt::format("this bulk copy {} {}, which {} wrote with an ordinary store, and no "
                                      "proxy fence is between",
                                      does, what, threadName(at.launch.block, thread)),
                          instrId, "written here",
                          "fence.proxy.async after the stores, before the barrier that lets the copy start");
}

} // namespace heddle::check
