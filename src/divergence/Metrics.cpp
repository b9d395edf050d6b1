// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/Metrics.h"

#include "divergence/Schedule.h"

#include <algorithm>
#include <utility>

namespace heddle::divergence {
namespace {

/// Takes one thread after the other and knows (3) of those it has.
class WarpSum {
public:
  WarpSum(const BlockVectors &all, Latencies cycles) : vectors(all), latencies(cycles), most(all.blocks()) {}

  void add(uint32_t row) {
    if (members++ && row == last)
      return; // most often threads beside each other do the same
    isDivergent |= members > 1;
    last = row;
    std::span<const uint32_t> counts = vectors.row(row);
    for (uint32_t b = 0; b < most.size(); ++b)
      most[b] = std::max(most[b], counts[b]);
  }
  /// Rows are distinct: a second one in a warp is another vector, even if it came and went.
  bool divergent() const { return isDivergent; }
  bool empty() const { return members == 0; }
  double take() {
    double sum = 0;
    for (uint32_t b = 0; b < most.size(); ++b)
      sum += latencies[b] * most[b];
    std::fill(most.begin(), most.end(), 0);
    members = 0, isDivergent = false;
    return sum;
  }

private:
  const BlockVectors &vectors;
  Latencies latencies;
  std::vector<uint32_t> most;
  uint32_t last = 0;
  unsigned members = 0;
  bool isDivergent = false;
};

std::vector<double> latenciesOfRows(const BlockVectors &vectors, Latencies latencies) {
  std::vector<double> sums(vectors.distinct());
  for (uint32_t row = 0; row < sums.size(); ++row)
    for (uint32_t b = 0; b < vectors.blocks(); ++b)
      sums[row] += latencies[b] * vectors.row(row)[b];
  return sums;
}

} // namespace

Metrics metricsOf(const BlockVectors &vectors, Latencies latencies, unsigned threadsPerBlock,
                  const Device &device, Threads order) {
  Metrics metrics;
  const std::vector<double> own = latenciesOfRows(vectors, latencies);
  WarpSum warp(vectors, latencies);
  double block = 0;
  auto endWarp = [&] {
    ++metrics.warps;
    metrics.divergentWarps += warp.divergent();
    const double cycles = warp.take();
    metrics.warpCycles += cycles;
    block += cycles;
  };
  for (uint32_t place = 0; place < vectors.threads(); ++place) {
    const uint32_t inBlock = place % threadsPerBlock;
    if (inBlock % device.warpSize == 0 && !warp.empty())
      endWarp();
    if (inBlock == 0 && place)
      metrics.blockLatencies.push_back(std::exchange(block, 0.0));
    const uint32_t row = vectors.rowOfThread(order.empty() ? place : order[place]);
    warp.add(row);
    metrics.threadCycles += own[row];
  }
  if (!warp.empty())
    endWarp(), metrics.blockLatencies.push_back(block);
  metrics.weighted = kernelLatency(metrics.blockLatencies, device.sms);
  metrics.scheduled = schedule(metrics.blockLatencies, device.sms, std::max(1u, device.blocksPerSm)).end;
  return metrics;
}

} // namespace heddle::divergence
