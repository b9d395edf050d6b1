// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies: cp.async with its groups, bulk copies with mbarriers or groups.
//
// A copy is checked as an access of the thread that starts it, and its target stays pending until that thread
// has waited (then it counts as the thread's own write of that moment) or until the bytes are reported to an
// mbarrier (then it is the write of a copy engine, known to those who wait for the phase).
//
// Groups are counted for each lane: a copy is in the group that was open when it started, and a wait for all
// but n groups ends what is in groups before the last n that were committed.
#include "check/Copies.h"

#include "vm/Lanes.h"

namespace heddle::check {
namespace {

using Copy = vm::AsyncEvent::Copy;

bool isIn(uint32_t mask, const PendingCopy &copy) { return mask >> copy.lane & 1; }

} // namespace

PendingCopy AsyncCopies::describe(const Where &at, const vm::AsyncEvent &event, unsigned lane) const {
  PendingCopy copy;
  copy.lane = lane, copy.kind = event.copy, copy.instrId = at.instrId, copy.bytes = event.bytes;
  copy.group = warps[at.warp].groupOf(event.copy, lane);
  copy.intoShared = event.toSpace == vm::Space::Shared;
  copy.shared = uint32_t(copy.intoShared ? event.to[lane] : event.from[lane]);
  const bool reads = event.reading >> lane & 1;
  if (reads && (!copy.intoShared || event.fromSpace == vm::Space::Global)) {
    copy.globalBegin = copy.intoShared ? event.from[lane] : event.to[lane];
    copy.globalEnd = copy.globalBegin + event.bytes;
  }
  return copy;
}

void AsyncCopies::start(unsigned warp, const PendingCopy &copy) {
  warps[warp].pending.push_back(copy);
  ++count;
}

void AsyncCopies::commit(unsigned warp, const vm::AsyncEvent &event) {
  auto &groups = event.copy == Copy::Bulk ? warps[warp].bulkGroup : warps[warp].copyGroup;
  vm::eachLane(event.mask, [&](unsigned lane) { ++groups[lane]; });
}

template <class F> std::vector<PendingCopy> AsyncCopies::take(unsigned warp, F isOver) {
  std::vector<PendingCopy> over;
  std::erase_if(warps[warp].pending, [&](const PendingCopy &copy) {
    if (!isOver(copy))
      return false;
    over.push_back(copy);
    return true;
  });
  count -= unsigned(over.size());
  return over;
}

std::vector<PendingCopy> AsyncCopies::waited(unsigned warp, const vm::AsyncEvent &event) {
  // wait_all takes what was not committed too.
  const bool all = event.groupsLeft == vm::AsyncEvent::EvenUncommitted;
  return take(warp, [&](const PendingCopy &copy) {
    return copy.kind == event.copy && isIn(event.mask, copy) &&
           (all || copy.group + event.groupsLeft < warps[warp].groupOf(event.copy, copy.lane));
  });
}

std::vector<PendingCopy> AsyncCopies::sourcesDone(unsigned warp, const vm::AsyncEvent &event) {
  std::vector<PendingCopy> done;
  for (PendingCopy &copy : warps[warp].pending)
    if (copy.kind == event.copy && isIn(event.mask, copy) && !copy.intoShared && !copy.sourceDone &&
        copy.group + event.groupsLeft < warps[warp].bulkGroup[copy.lane]) {
      done.push_back(copy);
      copy.sourceDone = true;
    }
  return done;
}

std::vector<PendingCopy> AsyncCopies::handedOver(unsigned warp, uint32_t mask) {
  return take(warp, [&](const PendingCopy &copy) { return copy.kind == Copy::CpAsync && isIn(mask, copy); });
}

std::vector<PendingCopy> AsyncCopies::unwaited(const Where &at, uint32_t mask, Reporter &reporter) {
  if (warps[at.warp].pending.empty())
    return {};
  std::vector<PendingCopy> left = take(at.warp, [&](const PendingCopy &copy) { return isIn(mask, copy); });
  for (const PendingCopy &copy : left)
    if ((copy.intoShared || !copy.sourceDone) && reporter.isNew(Rule::AsyncUnwaited, copy.instrId, 0))
      reporter.report(
          Rule::AsyncUnwaited, at.launch, copy.instrId,
          fmt::format("{} of {} ends while this copy is under way", at.threadText(copy.lane), at.blockText()),
          at.instrId, "it ends here",
          "wait for it: the copy may still write when the memory has another use");
  return left;
}

void AsyncCopies::check(const Where &at, const vm::AccessEvent &event, bool write, const GlobalNames &names,
                        Reporter &reporter) const {
  vm::eachLane(event.mask, [&](unsigned lane) {
    const uint64_t begin = event.addresses[lane], end = begin + event.bytes;
    for (unsigned w = 0; w < warps.size(); ++w)
      for (const PendingCopy &copy : warps[w].pending) {
        if (begin >= copy.globalEnd || end <= copy.globalBegin || (copy.intoShared && !write))
          continue;
        const Side me{&at.launch, at.block, at.thread(lane), at.instrId, write};
        const Side other{&at.launch, at.block, w * 32 + copy.lane, copy.instrId, !copy.intoShared,
                         false,      true};
        reporter.reportRace(copy.intoShared ? Rule::AsyncSource : Rule::AsyncEarly, me, other,
                            names.of(at.launch, begin, 4), "wait for the copy first");
      }
  });
}

} // namespace heddle::check
