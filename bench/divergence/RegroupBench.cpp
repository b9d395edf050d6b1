// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time to regroup a million threads on one core, by how many different vectors they have. Above 4096 Greedy
// and Greedy-Max look at fewer pairs (divergence/RegroupAlgorithms.cpp).
#include "divergence/RegroupAlgorithms.h"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using namespace heddle::divergence;

constexpr uint32_t Threads = 1 << 20, Blocks = 24;

/// A loop of some length, with branches in it that are taken some of the time.
BlockVectors someVectors(uint32_t kinds) {
  std::mt19937 random(5);
  std::vector<uint32_t> known, counts;
  for (uint32_t kind = 0; kind < kinds; ++kind) {
    const uint32_t length = 1 + random() % 500;
    for (uint32_t b = 0; b < Blocks; ++b)
      known.push_back(b < 8 ? 1 : b < 16 ? length : random() % length);
  }
  for (uint32_t t = 0; t < Threads; ++t) {
    const auto kind = known.begin() + size_t(random() % kinds) * Blocks;
    counts.insert(counts.end(), kind, kind + Blocks);
  }
  return BlockVectors::ofCounts(Blocks, counts);
}

void regroupThreads(benchmark::State &state) {
  const BlockVectors vectors = someVectors(uint32_t(state.range(1)));
  std::vector<double> latencies(Blocks);
  for (uint32_t b = 0; b < Blocks; ++b)
    latencies[b] = 10 + b;
  const auto algorithm = Algorithm(state.range(0));
  for (auto _ : state)
    benchmark::DoNotOptimize(regroup(vectors, latencies, algorithm));
  state.SetLabel(std::string(nameOf(algorithm)) + ", " + std::to_string(vectors.distinct()) + " vectors");
}

BENCHMARK(regroupThreads)->ArgsProduct({{0, 1, 2}, {100, 1000, 4000, 50000}})->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
