// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Naive.h"
#include "divergence/Metrics.h"
#include "divergence/RegroupAlgorithms.h"

#include <gtest/gtest.h>

namespace heddle::divergence {
namespace {

/// Threads of a few kinds, as kernels have them: loops of different length, branches taken or not.
BlockVectors someVectors(std::mt19937 &random, uint32_t threads, uint32_t blocks, uint32_t kinds,
                         uint32_t most) {
  std::vector<uint32_t> known(kinds * blocks), counts;
  for (uint32_t &count : known)
    count = random() % 3 ? random() % most : 0;
  for (uint32_t t = 0; t < threads; ++t) {
    const uint32_t kind = random() % kinds;
    counts.insert(counts.end(), known.begin() + kind * blocks, known.begin() + (kind + 1) * blocks);
  }
  return BlockVectors::ofCounts(blocks, counts);
}

/// Sums of these differ, so that gains seldom tie.
std::vector<double> someLatencies(std::mt19937 &random, uint32_t blocks) {
  std::vector<double> latencies(blocks);
  for (double &latency : latencies)
    latency = std::uniform_real_distribution<>(1, 100)(random);
  return latencies;
}

/// Whose sums are exact, so that gains that are equal compare equal.
std::vector<double> integerLatencies(std::mt19937 &random, uint32_t blocks) {
  std::vector<double> latencies(blocks);
  for (double &latency : latencies)
    latency = 1 + random() % 1000;
  return latencies;
}

void expectPermutation(const std::vector<uint32_t> &order, uint32_t threads) {
  std::vector<uint32_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(sorted.size(), threads);
  for (uint32_t i = 0; i < threads; ++i)
    ASSERT_EQ(sorted[i], i);
}

TEST(Sorting, ComparesElementByElement) {
  // The paper's example: {1, 20, 10, 20, 1} is smaller than {1, 30, 20, 30, 1}.
  const BlockVectors vectors =
      BlockVectors::ofCounts(5, std::vector<uint32_t>{1, 30, 20, 30, 1, 1, 20, 10, 20, 1, 1, 30, 20, 30, 1});
  EXPECT_EQ(regroup(vectors, std::vector<double>(5, 1.0), Algorithm::Sorting).order,
            (std::vector<uint32_t>{1, 0, 2}));
}

TEST(Regroup, KnowsItsAlgorithmsByName) {
  for (Algorithm algorithm : {Algorithm::Sorting, Algorithm::Greedy, Algorithm::GreedyMax})
    EXPECT_EQ(algorithmNamed(nameOf(algorithm)), algorithm);
  EXPECT_EQ(algorithmNamed("greedy-min"), std::nullopt);
}

TEST(Greedy, IsAlgorithm1AsItIsPrinted) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 60; ++i) {
    const uint32_t threads = 2 + random() % 30, blocks = 1 + random() % 5, size = 2 + random() % 4;
    const BlockVectors vectors = someVectors(random, threads, blocks, 1 + random() % threads, 100000);
    const std::vector<double> latencies = someLatencies(random, blocks);
    const Regrouping made = regroup(vectors, latencies, Algorithm::Greedy, {.groupSize = size});
    expectPermutation(made.order, threads);
    auto expected = rowsOf(vectors, naiveGreedy(vectors, latencies, size));
    auto found = rowsOf(vectors, cutIntoGroups(made.order, size));
    // Full groups of one vector come in another order: they are made at the beginning. Groups themselves
    // agree.
    std::sort(expected.begin(), expected.end()), std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected) << threads << " threads, " << blocks << " blocks, groups of " << size;
  }
}

TEST(GreedyMax, IsAlgorithm2AsItIsPrinted) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 60; ++i) {
    const uint32_t threads = 2 + random() % 40, blocks = 1 + random() % 5, size = 2 + random() % 6;
    const BlockVectors vectors = someVectors(random, threads, blocks, 1 + random() % threads, 100000);
    const std::vector<double> latencies = integerLatencies(random, blocks);
    const Regrouping made = regroup(vectors, latencies, Algorithm::GreedyMax, {.groupSize = size});
    expectPermutation(made.order, threads);
    EXPECT_EQ(rowsOf(vectors, cutIntoGroups(made.order, size)),
              rowsOf(vectors, naiveGreedyMax(vectors, latencies, size)))
        << threads << " threads, " << blocks << " blocks, groups of " << size;
  }
}

TEST(Regroup, NeverBeatsTheBestGroupingAndComesNearIt) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  double best = 0, sums[3] = {};
  for (int i = 0; i < 40; ++i) {
    const BlockVectors vectors = someVectors(random, 9, 3, 7, 8);
    const std::vector<double> latencies = someLatencies(random, 3);
    const double optimum = bestSum(vectors, latencies, 3);
    best += optimum;
    for (Algorithm algorithm : {Algorithm::Sorting, Algorithm::Greedy, Algorithm::GreedyMax}) {
      const auto order = regroup(vectors, latencies, algorithm, {.groupSize = 3}).order;
      const double sum = sumOfWarps(vectors, latencies, cutIntoGroups(order, 3));
      EXPECT_GE(sum, optimum * (1 - 1e-12));
      sums[unsigned(algorithm)] += sum;
    }
  }
  EXPECT_LT(sums[unsigned(Algorithm::Greedy)], 1.25 * best);
  EXPECT_LT(sums[unsigned(Algorithm::GreedyMax)], 1.25 * best);
}

TEST(Regroup, ThreadsThatFillWarpsOfTheirOwnKindLoseNothing) {
  // Four kinds of 64 threads each, in turn: every warp diverges before and none after.
  std::vector<uint32_t> counts;
  for (uint32_t t = 0; t < 256; ++t)
    for (uint32_t b = 0; b < 4; ++b)
      counts.push_back(b == t % 4 ? 10 : 0);
  const BlockVectors vectors = BlockVectors::ofCounts(4, counts);
  const std::vector<double> latencies = {1, 2, 3, 4};
  EXPECT_EQ(metricsOf(vectors, latencies, 64, {1, 1, 32}).divergentWarps, 8u);
  for (Algorithm algorithm : {Algorithm::Sorting, Algorithm::Greedy, Algorithm::GreedyMax}) {
    const Regrouping made = regroup(vectors, latencies, algorithm);
    const Metrics after = metricsOf(vectors, latencies, 64, {1, 1, 32}, made.order);
    EXPECT_EQ(after.divergentWarps, 0u) << nameOf(algorithm);
    EXPECT_DOUBLE_EQ(after.lostShare(), 0) << nameOf(algorithm);
  }
}

TEST(GreedyMax, PutsTheLongestBlocksFirst) {
  std::mt19937 random(7);
  const BlockVectors vectors = someVectors(random, 2048, 6, 300, 50);
  const std::vector<double> latencies = someLatencies(random, 6);
  const Regrouping made = regroup(vectors, latencies, Algorithm::GreedyMax);
  double before = std::numeric_limits<double>::infinity();
  for (const auto &group : cutIntoGroups(made.order, 32)) {
    double longest = 0;
    for (uint32_t t : group)
      longest = std::max(longest, threadLatency(vectors, latencies, t));
    EXPECT_LE(longest, before);
    before = longest;
  }
}

TEST(Regroup, GroupsOf64AreTwoWarpsEach) {
  std::mt19937 random(3);
  const BlockVectors vectors = someVectors(random, 512, 4, 5, 9);
  const std::vector<double> latencies = someLatencies(random, 4);
  const Regrouping made = regroup(vectors, latencies, Algorithm::GreedyMax, {.groupSize = 64});
  expectPermutation(made.order, 512);
  EXPECT_EQ(rowsOf(vectors, cutIntoGroups(made.order, 64)),
            rowsOf(vectors, naiveGreedyMax(vectors, latencies, 64)));
}

TEST(Regroup, AMillionThreadsWithThousandsOfVectorsAreOnePermutation) {
  std::mt19937 random(11);
  const BlockVectors vectors = someVectors(random, 1 << 20, 24, 3000, 200);
  const std::vector<double> latencies = someLatencies(random, 24);
  for (Algorithm algorithm : {Algorithm::Sorting, Algorithm::Greedy, Algorithm::GreedyMax}) {
    const Regrouping made = regroup(vectors, latencies, algorithm);
    EXPECT_TRUE(made.exact);
    expectPermutation(made.order, 1 << 20);
  }
}

/// Ways in which threads differ: how blocks' counts hang together decides how hard it is.
struct Shape {
  const char *name;
  uint32_t (*count)(std::mt19937 &random, uint32_t block, uint32_t length);
};
const Shape shapes[] = {
    {"loops of one length",
     [](std::mt19937 &, uint32_t block, uint32_t length) { return block ? length : 1; }},
    {"a loop with branches in it",
     [](std::mt19937 &random, uint32_t block, uint32_t length) {
       return block < 2 ? length : length ? uint32_t(random() % length) : 0;
     }},
    {"blocks on their own",
     [](std::mt19937 &random, uint32_t, uint32_t) { return uint32_t(random() % 100); }},
    {"long tails", [](std::mt19937 &random, uint32_t,
                      uint32_t) { return uint32_t(std::exponential_distribution<>(0.05)(random)); }},
};

TEST(Regroup, FewerPairsStayWithin2PercentOfTheExactAlgorithms) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  constexpr uint32_t threads = 8192, blocks = 5;
  for (const Shape &shape : shapes) {
    std::vector<uint32_t> counts;
    for (uint32_t t = 0; t < threads; ++t) {
      const uint32_t length = random() % 2000;
      for (uint32_t b = 0; b < blocks; ++b)
        counts.push_back(shape.count(random, b, length));
    }
    const BlockVectors vectors = BlockVectors::ofCounts(blocks, counts);
    const std::vector<double> latencies = someLatencies(random, blocks);
    for (Algorithm algorithm : {Algorithm::Greedy, Algorithm::GreedyMax}) {
      const Regrouping exact = regroup(vectors, latencies, algorithm, {.exactUpTo = threads});
      const Regrouping fewer = regroup(vectors, latencies, algorithm, {.exactUpTo = 0});
      EXPECT_TRUE(exact.exact);
      EXPECT_FALSE(fewer.exact);
      expectPermutation(fewer.order, threads);
      const double wanted = metricsOf(vectors, latencies, 128, {8, 2, 32}, exact.order).warpCycles;
      const double got = metricsOf(vectors, latencies, 128, {8, 2, 32}, fewer.order).warpCycles;
      EXPECT_LE(got, 1.02 * wanted) << nameOf(algorithm) << ", " << shape.name;
    }
  }
}

} // namespace
} // namespace heddle::divergence
