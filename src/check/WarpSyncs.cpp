// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/WarpSyncs.h"

#include "support/Text.h"
#include "vm/Lanes.h"

namespace heddle::check {
namespace {

/// The causes that are possible here, of which most often one is left.
std::string whyNotThere(const vm::WarpSyncEvent &event, uint32_t alive) {
  std::string causes;
  const auto add = [&](const std::string &cause) { causes += (causes.empty() ? "" : " or ") + cause; };
  if (event.members & alive & ~event.here)
    add("does not execute this shuffle");
  if (event.members & ~alive)
    add("has ended or does not exist");
  if (~event.members || causes.empty())
    add(fmt::format("is not in the mask {:#010x}", event.members));
  return causes;
}

} // namespace

bool WarpSyncs::sync(const Where &at, const vm::WarpSyncEvent &event, uint32_t alive, Reporter &reporter) {
  if (event.badSources && reporter.isNew(Rule::WarpShuffleSource, at.instrId, 0))
    reporter.report(Rule::WarpShuffleSource, at.launch, at.instrId,
                    fmt::format("{} of {} shuffles from a lane that {}",
                                at.threadText(vm::firstLane(event.badSources)), at.blockText(),
                                whyNotThere(event, alive)),
                    0, {}, "the result is undefined; let all lanes that are read from participate");
  Masks &mine = masks[at.warp];
  if (event.waits) {
    mine.awaited |= event.members & alive & ~event.mask;
    return false;
  }
  if (const uint32_t gone = event.members & ~event.here & mine.busy;
      gone && reporter.isNew(Rule::WarpMask, at.instrId, 0))
    reporter.report(Rule::WarpMask, at.launch, at.instrId,
                    fmt::format("the mask {:#010x} of warp {} of {} names {} that never {} here",
                                event.members, at.warp, at.blockText(), counted(vm::countLanes(gone), "lane"),
                                vm::countLanes(gone) == 1 ? "arrives" : "arrive"),
                    0, {}, "the mask of a _sync operation names exactly the lanes that execute it");
  if (const uint32_t others = event.members & alive & ~event.here & ~mine.busy;
      others && reporter.isNew(Rule::WarpMask, at.instrId, 0))
    reporter.report(Rule::WarpMask, at.launch, at.instrId,
                    fmt::format("the mask {:#010x} of {} of {} names {} here with another mask",
                                event.members, at.threadText(vm::firstLane(event.mask)), at.blockText(),
                                vm::countLanes(others) == 1 ? "a lane that is" : "lanes that are"),
                    0, {},
                    "the mask of a _sync operation names exactly the lanes that execute it, and all of them "
                    "give the same");
  mine.awaited &= ~event.members, mine.busy &= ~event.members;
  return true;
}

} // namespace heddle::check
