// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weave/Weave.h"

#include "weave/Barriers.h"
#include "weave/Registers.h"
#include "weave/Schedule.h"
#include "weave/Verify.h"

namespace heddle::weave {

namespace {

bool accepts(const WeaveOptions &options, Diagnostics &diagnostics) {
  if (options.warps < 1 || options.warps > options.machine.warpsOfBlock) {
    diagnostics.refuse(
        {}, fmt::format("{} warps: a block has 1 to {}", options.warps, options.machine.warpsOfBlock));
    return false;
  }
  if (options.ctas < 1 || options.ctas > options.machine.barriers) {
    diagnostics.refuse(
        {}, fmt::format("{} blocks on a multiprocessor: there are {} barriers, and each block needs "
                        "one",
                        options.ctas, options.machine.barriers));
    return false;
  }
  return true;
}

void warnOfSpilling(const flow::Program &program, const Woven &woven, const WeaveOptions &options,
                    Diagnostics &diagnostics) {
  unsigned worst = 0, most = 0;
  for (unsigned warp = 0; warp < woven.warps.size(); ++warp)
    if (const unsigned kept = mostKept(program, woven, warp); kept > most)
      worst = warp, most = kept;
  const unsigned budget = options.registerBudget();
  if (registersFor(most) <= budget)
    return;
  diagnostics
      .warning(
          {}, fmt::format("spilling is likely: warp {} keeps {} values at a time, about {} registers, and {} "
                          "blocks of {} warps leave each thread {}",
                          worst, most, registersFor(most), options.ctas, options.warps, budget))
      .withHint(
          "ask for fewer blocks on a multiprocessor, for more warps of fewer values each, or for rows that "
          "values stay in");
}

void addFaults(const std::vector<std::string> &faults, Diagnostics &diagnostics) {
  Diagnostic &message = diagnostics.add(Voice::InternalError, {},
                                        "the plan for the warps of a block is wrong: " + faults.front());
  for (size_t i = 1; i < std::min<size_t>(faults.size(), 5); ++i)
    message.note({}, faults[i]);
}

} // namespace

std::optional<Woven> weave(const flow::Program &program, const WeaveOptions &options,
                           Diagnostics &diagnostics) {
  if (!accepts(options, diagnostics))
    return std::nullopt;
  const Graph graph = makeGraph(program, options);
  const Mapping mapping = mapToWarps(graph, options);
  const Transfers transfers = findTransfers(graph, mapping, options);
  const std::optional<Slots> slots = placeTransfers(graph, mapping, transfers, options, diagnostics);
  if (!slots)
    return std::nullopt;
  const Rounds rounds = chooseRounds(graph, mapping, transfers, *slots);
  const std::vector<RoundPoint> points = findPoints(graph, mapping, transfers, *slots, rounds, options.warps);
  Woven woven = schedule(graph, mapping, transfers, *slots, rounds, points, options);
  if (const unsigned changed = allocateBarriers(woven, options.barrierBudget()))
    diagnostics.add(
        Voice::Done, {},
        fmt::format("{} points became waits of all warps: {} barriers are all that {} blocks leave each",
                    changed, options.barrierBudget(), options.ctas));
  if (const auto faults = findFaults(program, woven, options.barrierBudget()); !faults.empty()) {
    addFaults(faults, diagnostics);
    return std::nullopt;
  }
  warnOfSpilling(program, woven, options, diagnostics);
  return woven;
}

} // namespace heddle::weave
