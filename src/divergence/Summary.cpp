// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What divergence costs a kernel, over all its launches.
//
// A warp that enters a basic block takes 32 lane slots for the latency of the block, whether or not its lanes
// take part. So the loss is  1 - used / slots,  both weighted by latency. Slots of lanes that do not exist
// (blocks that are no multiple of 32 threads) are counted apart. Per source line, the lost lanes of the
// blocks that a divergent branch governs are added to the line of the branch.
//
// To estimate what regrouping would gain, the threads of each launch are reordered by each algorithm and the
// same sum is taken over the new warps; the last estimate reorders by what the predictor says, trained on the
// launch with the most distinct behaviours, and measures with the real counts.
//
// Launches of one kernel share their code, so latencies are computed once. Not modelled: overlap between
// warps, caches. Cost: the regrouping algorithms dominate.
#include "divergence/Summary.h"

#include <algorithm>

namespace heddle::divergence {
namespace {

constexpr unsigned WarpSize = 32;

/// Launches of one kernel have the same code, so its latencies are computed once.
class KernelSums {
public:
  KernelSums(const arch::Arch &architecture, const SummaryOptions &choices)
      : arch(architecture), options(choices) {}

  void add(const LaunchProfile &launch) {
    if (summary.launches++ == 0)
      begin(launch);
    addCounts(launch);
    addSlots(launch);
    addMetrics(launch);
    all.push_back(&launch);
    if (launch.vectors.distinct() > summary.distinctVectors) {
      summary.distinctVectors = launch.vectors.distinct();
      mostVaried = &launch;
    }
  }

  KernelSummary take() {
    summary.lostShare = slots > 0 ? 1 - usedSlots / slots : 0;
    summary.absentShare = slots > 0 ? absentSlots / slots : 0;
    summary.lostShareByModel = Metrics{.threadCycles = threadCycles, .warpCycles = ownWarpCycles}.lostShare();
    for (LineLoss &line : summary.lines)
      line.share = slots > 0 ? line.share / slots : 0;
    std::erase_if(summary.lines, [](const LineLoss &line) { return line.divergent == 0; });
    std::stable_sort(summary.lines.begin(), summary.lines.end(),
                     [](const LineLoss &a, const LineLoss &b) { return a.share > b.share; });
    for (size_t i = 0; i < summary.regrouped.size(); ++i)
      summary.regrouped[i].lostShare =
          Metrics{.threadCycles = threadCycles, .warpCycles = warpCycles[i]}.lostShare();
    addPrediction();
    return std::move(summary);
  }

private:
  void begin(const LaunchProfile &launch) {
    summary.kernel = launch.kernel;
    std::copy_n(launch.grid, 3, summary.grid);
    std::copy_n(launch.block, 3, summary.block);
    summary.registers = launch.registers;
    summary.basicBlocks = uint32_t(launch.blocks.size());
    summary.occupancy = occupancyOf(launch);
    BlockLatencies cycles(arch.latencies, options.memory);
    for (const CodeBlock &block : launch.blocks)
      latencies.push_back(cycles.of(block.instructions));
    summary.latenciesKnown = cycles.own;
    summary.latenciesSubstituted = cycles.substitutedFor;
    summary.latenciesCounted = cycles.counted;
    for (Algorithm algorithm : Algorithms)
      summary.regrouped.push_back({algorithm});
    warpCycles.resize(summary.regrouped.size());
  }

  arch::Occupancy occupancyOf(const LaunchProfile &launch) const {
    return arch::occupancy(arch, {launch.threadsPerBlock(), launch.registers, launch.staticSharedBytes,
                                  launch.dynamicSharedBytes});
  }

  void addCounts(const LaunchProfile &launch) {
    summary.threads += launch.vectors.threads();
    summary.warps += launch.warps;
    summary.divergentWarps += launch.divergentWarps;
    summary.globalRequests += launch.globalRequests;
    summary.globalSectors += launch.globalSectors;
    for (const CodeBlock &block : launch.blocks)
      for (const auto &[cls, count] : block.instructions)
        summary.warpInstructions += count * block.entries;
    for (const Branch &branch : launch.branches) {
      summary.branches += branch.executions;
      summary.divergentBranches += branch.divergent;
      LineLoss &line = lineOf(branch.location);
      line.executions += branch.executions;
      line.divergent += branch.divergent;
      for (size_t b = 0; b < branch.lostLanes.size(); ++b)
        line.share += latencies[b] * double(branch.lostLanes[b]); // made a share at the end
    }
  }

  LineLoss &lineOf(const SourceLocation &location) {
    for (LineLoss &line : summary.lines)
      if (line.location.file == location.file && line.location.line == location.line)
        return line;
    return summary.lines.emplace_back(LineLoss{location});
  }

  void addSlots(const LaunchProfile &launch) {
    for (size_t b = 0; b < launch.blocks.size(); ++b) {
      slots += latencies[b] * WarpSize * double(launch.blocks[b].entries);
      usedSlots += latencies[b] * double(launch.blocks[b].lanes);
      absentSlots += latencies[b] * double(launch.absentLanes[b]);
    }
  }

  void addMetrics(const LaunchProfile &launch) {
    const Metrics own = metricsOf(launch.vectors, latencies, launch.threadsPerBlock(), deviceFor(launch));
    summary.weighted += own.weighted;
    summary.scheduled += own.scheduled;
    threadCycles += own.threadCycles;
    ownWarpCycles += own.warpCycles;
    for (size_t i = 0; i < summary.regrouped.size(); ++i)
      warpCycles[i] += addRegrouped(summary.regrouped[i], launch, launch.vectors);
  }

  /// A launch in the order that an algorithm gives to `seen`; the sum of its warps' cycles.
  double addRegrouped(RegroupEstimate &estimate, const LaunchProfile &launch,
                      const BlockVectors &seen) const {
    const Regrouping made = regroup(seen, latencies, estimate.algorithm, {.groupSize = options.groupSize});
    const Metrics after =
        metricsOf(launch.vectors, latencies, launch.threadsPerBlock(), deviceFor(launch), made.order);
    estimate.weighted += after.weighted;
    estimate.scheduled += after.scheduled;
    estimate.divergentWarps += after.divergentWarps;
    estimate.exact &= made.exact;
    return after.warpCycles;
  }

  Device deviceFor(const LaunchProfile &launch) const {
    return {arch.deviceSms, std::max(1u, occupancyOf(launch).blocksPerSm), WarpSize};
  }

  /// What is known before a launch is what its threads read; what that is worth shows in the real vectors.
  void addPrediction() {
    if (!mostVaried)
      return;
    summary.prediction = predict(*mostVaried);
    RegroupEstimate &estimate = summary.byPrediction;
    estimate.algorithm = Algorithm::GreedyMax;
    double cycles = 0;
    for (const LaunchProfile *launch : all) {
      const BlockVectors predicted =
          predictVectors(summary.prediction, *mostVaried, *launch, Otherwise::Model);
      cycles += addRegrouped(estimate, *launch, predicted);
    }
    estimate.lostShare = Metrics{.threadCycles = threadCycles, .warpCycles = cycles}.lostShare();
  }

  const arch::Arch &arch;
  const SummaryOptions &options;
  KernelSummary summary;
  std::vector<double> latencies;
  double slots = 0, usedSlots = 0, absentSlots = 0, threadCycles = 0, ownWarpCycles = 0;
  std::vector<double> warpCycles; ///< by regrouping
  std::vector<const LaunchProfile *> all;
  const LaunchProfile *mostVaried = nullptr;
};

} // namespace

std::vector<double> blockLatencies(const LaunchProfile &launch, const arch::Arch &arch, MemoryLevel memory) {
  BlockLatencies cycles(arch.latencies, memory);
  std::vector<double> latencies;
  latencies.reserve(launch.blocks.size());
  for (const CodeBlock &block : launch.blocks)
    latencies.push_back(cycles.of(block.instructions));
  return latencies;
}

std::vector<KernelSummary> summarize(const ProgramProfile &profile, const arch::Arch &arch,
                                     const SummaryOptions &options) {
  std::vector<KernelSums> kernels;
  std::map<std::string, size_t> number;
  for (const LaunchProfile &launch : profile.launches) {
    auto [found, isNew] = number.emplace(launch.kernel, kernels.size());
    if (isNew)
      kernels.emplace_back(arch, options);
    kernels[found->second].add(launch);
  }
  std::vector<KernelSummary> summaries;
  for (KernelSums &kernel : kernels) {
    summaries.push_back(kernel.take());
    if (auto skipped = profile.skipped.find(summaries.back().kernel); skipped != profile.skipped.end())
      summaries.back().skippedLaunches = skipped->second;
  }
  return summaries;
}

} // namespace heddle::divergence
