// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/Schedule.h"

#include "divergence/Metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace heddle::divergence {
namespace {

// Figure 5: three multiprocessors with room for one block each. tb1 is done first and tb3 follows it on SM1,
// then tb2, followed by tb4 on SM2. (The paper draws the bars without numbers; these keep to the order of events that it
// gives.)
const std::vector<double> queueOfFigure5 = {5, 2, 3, 2, 2, 1, 8};

TEST(Schedule, Figure5GivesEachBlockToTheFirstMultiprocessorThatIsFree) {
  const Scheduled q1 = schedule(queueOfFigure5, 3, 1);
  EXPECT_EQ(q1.sm, (std::vector<unsigned>{0, 1, 2, 1, 2, 1, 0}));
  EXPECT_EQ(q1.starts, (std::vector<double>{0, 0, 0, 2, 3, 4, 5}));
  EXPECT_EQ(q1.end, 13);
}

TEST(Schedule, Figure5IsDoneEarlierWithTheLongestBlocksFirst) {
  std::vector<double> q2 = queueOfFigure5;
  std::sort(q2.begin(), q2.end(), std::greater<>());
  EXPECT_EQ(schedule(q2, 3, 1).end, 8);
  EXPECT_LT(schedule(q2, 3, 1).end, schedule(queueOfFigure5, 3, 1).end);
}

TEST(Schedule, Figure4sThirdBlockGoesWhereTheShorterOneRan) {
  const Scheduled dynamic = schedule(std::vector<double>{4, 2, 3}, 2, 1);
  EXPECT_EQ(dynamic.sm[2], 1u);
  EXPECT_EQ(dynamic.end, 5);
}

TEST(Schedule, BlocksThatShareAMultiprocessorGetEqualPartsOfIt) {
  // 6 and 2 share until 4, when 2 is done; 6 has 4 left, alone with 3 that follows: both get half until 10.
  const Scheduled shared = schedule(std::vector<double>{6, 2, 3}, 1, 2);
  EXPECT_EQ(shared.starts[2], 4);
  EXPECT_EQ(shared.end, 11); // nothing is lost: 6 + 2 + 3
}

TEST(Schedule, MultiprocessorsThatAreFreeAtTheSameTimeGetABlockEachInOrder) {
  // Four blocks of 4 share two multiprocessors until 8; of the next two long ones each gets one.
  const Scheduled made = schedule(std::vector<double>{4, 4, 4, 4, 4, 4, 1, 1}, 2, 2);
  EXPECT_EQ(made.sm, (std::vector<unsigned>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(made.end, 13); // and not 16
}

TEST(Schedule, EqualBlocksThatFillTheDeviceTakeWhatNumber5Says) {
  const std::vector<double> equal(4 * 3 * 5, 7.0);
  EXPECT_DOUBLE_EQ(schedule(equal, 4, 3).end, kernelLatency(equal, 4));
}

TEST(Schedule, NoScheduleIsShorterThanAnEvenShareOrTheLongestBlock) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 50; ++i) {
    std::vector<double> blocks(1 + random() % 40);
    for (double &block : blocks)
      block = 1 + random() % 100;
    const unsigned sms = 1 + random() % 6, room = 1 + random() % 4;
    const Scheduled made = schedule(blocks, sms, room);
    EXPECT_GE(made.end * (1 + 1e-12), kernelLatency(blocks, sms));
    EXPECT_GE(made.end * (1 + 1e-12), *std::max_element(blocks.begin(), blocks.end()));
  }
}

TEST(Metrics, AreTheFormulasOverAWholeLaunch) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (unsigned threadsPerBlock : {32u, 48u, 96u}) {
    std::vector<uint32_t> counts(threadsPerBlock * 5 * 3);
    for (uint32_t &count : counts)
      count = random() % 4;
    const BlockVectors vectors = BlockVectors::ofCounts(3, counts);
    const std::vector<double> latencies = {2, 3, 5};
    std::vector<uint32_t> order(vectors.threads());
    for (uint32_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> blocks;
    for (size_t at = 0; at < order.size(); at += threadsPerBlock)
      blocks.push_back(blockLatency(vectors, latencies, Threads(order).subspan(at, threadsPerBlock)));
    const Metrics metrics = metricsOf(vectors, latencies, threadsPerBlock, {2, 1, 32}, order);
    EXPECT_EQ(metrics.blockLatencies, blocks);
    EXPECT_DOUBLE_EQ(metrics.weighted, kernelLatency(blocks, 2));
    EXPECT_DOUBLE_EQ(metrics.scheduled, schedule(blocks, 2, 1).end);
    EXPECT_EQ(metrics.warps, (threadsPerBlock + 31) / 32 * 5);
  }
}

TEST(Metrics, CountWarpsWhoseThreadsDiffer) {
  // 64 threads: the first warp does the same, one thread of the second does more.
  std::vector<uint32_t> counts(64, 1);
  counts[40] = 3;
  const Metrics metrics =
      metricsOf(BlockVectors::ofCounts(1, counts), std::vector<double>{10}, 64, {1, 1, 32});
  EXPECT_EQ(metrics.warps, 2u);
  EXPECT_EQ(metrics.divergentWarps, 1u);
  EXPECT_EQ(metrics.warpCycles, 10 + 30);
  EXPECT_EQ(metrics.threadCycles, 640 + 20);
  EXPECT_DOUBLE_EQ(metrics.lostShare(), 1 - 660.0 / (32 * 40));
}

TEST(Metrics, ALaneThatIsNotThereIsASlotLost) {
  const BlockVectors half = BlockVectors::ofCounts(1, std::vector<uint32_t>(16, 2));
  EXPECT_DOUBLE_EQ(metricsOf(half, std::vector<double>{1}, 16, {1, 1, 32}).lostShare(), 0.5);
}

} // namespace
} // namespace heddle::divergence
