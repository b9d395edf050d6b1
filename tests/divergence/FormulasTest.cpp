// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each formula of the paper on numbers that were computed by hand.
#include "divergence/Formulas.h"

#include <gtest/gtest.h>

namespace heddle::divergence {
namespace {

/// Three threads, four blocks; cycles of the blocks below.
const BlockVectors vectors = BlockVectors::ofCounts(4, std::vector<uint32_t>{1, 5, 0, 2,   //
                                                                             1, 2, 3, 2,   //
                                                                             1, 2, 3, 4}); //
const std::vector<double> latencies = {10, 3, 7, 0.5};
const std::vector<uint32_t> all = {0, 1, 2}, zero = {0}, one = {1}, two = {2}, oneAndTwo = {1, 2};

TEST(Formulas, EqualVectorsAreKeptOnce) {
  BlockVectors same = BlockVectors::ofCounts(2, std::vector<uint32_t>{1, 2, 3, 4, 1, 2, 0, 2});
  EXPECT_EQ(same.threads(), 4u);
  EXPECT_EQ(same.distinct(), 3u);
  EXPECT_EQ(same.rowOfThread(0), same.rowOfThread(2));
  EXPECT_EQ(same.thread(3)[1], 2u);
}

TEST(Formulas, Number2TakesTheThreadThatExecutesABlockMostOften) {
  EXPECT_EQ(latencyInWarp(vectors, latencies, all, 1), 3 * 5);
  EXPECT_EQ(latencyInWarp(vectors, latencies, all, 2), 7 * 3);
  EXPECT_EQ(latencyInWarp(vectors, latencies, zero, 2), 0);
}

TEST(Formulas, Number2OfThePapersTwoAndFiveTimesIsFive) {
  const BlockVectors pair = BlockVectors::ofCounts(1, std::vector<uint32_t>{2, 5});
  const std::vector<double> ofListing2 = {18 + 46 + 18 + 264 +
                                          264}; // listing 2: mul, ld.const, mul, rem, div
  EXPECT_EQ(ofListing2[0], 610);
  EXPECT_EQ(latencyInWarp(pair, ofListing2, std::vector<uint32_t>{0, 1}, 0), 5 * 610);
}

TEST(Formulas, Number3SumsOverBlocks) {
  EXPECT_EQ(warpLatency(vectors, latencies, all), 10 * 1 + 3 * 5 + 7 * 3 + 0.5 * 4);
  EXPECT_EQ(warpLatency(vectors, latencies, oneAndTwo), 10 * 1 + 3 * 2 + 7 * 3 + 0.5 * 4);
}

TEST(Formulas, Number4SumsOverWarps) {
  // Warps of two: {0, 1} and the rest, {2}.
  const double first = 10 + 3 * 5 + 7 * 3 + 0.5 * 2, second = 10 + 3 * 2 + 7 * 3 + 0.5 * 4;
  EXPECT_EQ(blockLatency(vectors, latencies, all, 2), first + second);
  EXPECT_EQ(blockLatency(vectors, latencies, all, 32), warpLatency(vectors, latencies, all));
}

TEST(Formulas, Number5SharesThreadBlocksOutEvenly) {
  EXPECT_EQ(kernelLatency(std::vector<double>{10, 20, 30, 40}, 4), 25);
  EXPECT_EQ(kernelLatency(std::vector<double>{10, 20, 30, 41}, 2), 50.5);
}

TEST(Formulas, Numbers6And7AreLeastAndMostOfAGroup) {
  EXPECT_EQ(minCount(vectors, all, 1), 2u);
  EXPECT_EQ(maxCount(vectors, all, 1), 5u);
  EXPECT_EQ(minCount(vectors, all, 2), 0u);
  EXPECT_EQ(maxCount(vectors, oneAndTwo, 3), 4u);
}

TEST(Formulas, Number8IsWhatBothGroupsDoTogether) {
  EXPECT_EQ(benefit(vectors, latencies, zero, oneAndTwo), 10 * 1 + 3 * 2 + 7 * 0 + 0.5 * 2);
  EXPECT_EQ(benefit(vectors, latencies, one, two), 10 * 1 + 3 * 2 + 7 * 3 + 0.5 * 2);
}

TEST(Formulas, Number9IsWhatSomeDoWhileOthersWait) {
  EXPECT_EQ(cost(vectors, latencies, zero, oneAndTwo), 3 * (5 - 2) + 7 * (3 - 0) + 0.5 * (4 - 2));
  EXPECT_EQ(cost(vectors, latencies, one, two), 0.5 * 2);
}

TEST(Formulas, Number9OfThePapersOnceAndTwiceIsOneExecution) {
  const BlockVectors pair = BlockVectors::ofCounts(1, std::vector<uint32_t>{1, 2});
  const std::vector<double> lat = {100};
  EXPECT_EQ(benefit(pair, lat, zero, one), 100);
  EXPECT_EQ(cost(pair, lat, zero, one), 100);
  EXPECT_EQ(gain(pair, lat, zero, one), 0);
}

TEST(Formulas, Number10IsBenefitLessCost) {
  EXPECT_EQ(gain(vectors, latencies, one, two), 38 - 1);
  EXPECT_EQ(gain(vectors, latencies, zero, oneAndTwo), 17 - 31);
}

TEST(Formulas, Number10OfEqualThreadsIsAllTheyDo) {
  EXPECT_EQ(gain(vectors, latencies, one, one), threadLatency(vectors, latencies, 1));
}

TEST(Formulas, Number11IsOneThreadByItself) {
  EXPECT_EQ(threadLatency(vectors, latencies, 0), 10 * 1 + 3 * 5 + 7 * 0 + 0.5 * 2);
  EXPECT_EQ(threadLatency(vectors, latencies, 2), 10 * 1 + 3 * 2 + 7 * 3 + 0.5 * 4);
}

} // namespace
} // namespace heddle::divergence
