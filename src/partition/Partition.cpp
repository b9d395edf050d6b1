// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partition/Partition.h"

#include "partition/Barriers.h"
#include "partition/PlanFaults.h"
#include "partition/Registers.h"
#include "partition/Schedule.h"
#include "support/Text.h"

#include <fmt/ranges.h>

namespace heddle::partition {

namespace {

bool accepts(const PartitionOptions &options, Diagnostics &diagnostics) {
  if (options.warps < 1 || options.warps > options.multiprocessor.warpsOfBlock) {
    diagnostics.refuse(
        {}, fmt::format("{} warps: a block has 1 to {}", options.warps, options.multiprocessor.warpsOfBlock));
    return false;
  }
  if (options.ctas < 1 || options.ctas > options.multiprocessor.barriers) {
    diagnostics.refuse(
        {}, fmt::format("{} blocks per multiprocessor: there are {} barriers, and each block needs "
                        "one",
                        options.ctas, options.multiprocessor.barriers));
    return false;
  }
  return true;
}

/// The options of `heddle chem` that leave a thread more registers or let it keep fewer values.
std::string adviceAgainstSpills(const PartitionOptions &options) {
  std::vector<std::string> advice;
  if (options.ctas > 1)
    advice.push_back(fmt::format("--ctas {}", options.ctas - 1));
  if (options.warps > 1)
    advice.emplace_back("a smaller --warps");
  if (options.placement != Placement::Store)
    advice.emplace_back("--placement store");
  return fmt::format("{}", fmt::join(advice, ", or "));
}

void warnOfSpilling(const flow::Program &program, const Partitioned &partitioned,
                    const PartitionOptions &options, Diagnostics &diagnostics) {
  unsigned worst = 0, most = 0;
  for (unsigned warp = 0; warp < partitioned.warps.size(); ++warp)
    if (const unsigned kept = mostKept(program, partitioned, warp); kept > most)
      worst = warp, most = kept;
  const unsigned budget = options.registerBudget();
  if (registersFor(most) <= budget)
    return;
  diagnostics
      .warning({},
               fmt::format("register spills are likely: warp {} needs about {} registers per thread for {} "
                           "values, and {} of {} threads per SM leave {}",
                           worst, registersFor(most), most, counted(options.ctas, "block"),
                           options.warps * 32, budget))
      .withHint(adviceAgainstSpills(options));
}

void addFaults(const std::vector<std::string> &faults, Diagnostics &diagnostics) {
  Diagnostic &message = diagnostics.add(Severity::InternalError, {},
                                        "the plan for the warps of a block is wrong: " + faults.front());
  for (size_t i = 1; i < std::min<size_t>(faults.size(), 5); ++i)
    message.note({}, faults[i]);
}

} // namespace

std::optional<Partitioned> partitionWarps(const flow::Program &program, const PartitionOptions &options,
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
  Partitioned partitioned = schedule(graph, mapping, transfers, *slots, rounds, points, options);
  if (const unsigned changed = allocateBarriers(partitioned, options.barrierBudget()))
    diagnostics.add(
        Severity::Done, {},
        fmt::format("{} points became waits of all warps: {} barriers are all that {} blocks leave each",
                    changed, options.barrierBudget(), options.ctas));
  if (const auto faults = findFaults(program, partitioned, options.barrierBudget()); !faults.empty()) {
    addFaults(faults, diagnostics);
    return std::nullopt;
  }
  warnOfSpilling(program, partitioned, options, diagnostics);
  return partitioned;
}

} // namespace heddle::partition
