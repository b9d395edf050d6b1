// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Consolidation is for barriers at which no thread waits: the simulator's counters must show them gone, with what
// goes through shared memory as it was.
#include "vm/OptimizedKernel.h"

using namespace heddle;
using heddle::testing::OptimizedKernel;

namespace {

constexpr const char *firstStage = "consolidate remap=off delegate=off";
constexpr const char *secondStage = "consolidate remap=on delegate=off";

struct Measured {
  vm::CounterSums sums;
  std::vector<int> results;
};

Measured histogram(const std::string &directive, unsigned threads) {
  const int bins = 256, partials = 300, blocks = 8;
  OptimizedKernel program("tests/transform/consolidate/histogram_merge.cu", directive);
  std::vector<int> values(bins * partials);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int(i * 7 % 1000);
  int *merged = program.buffer(std::vector<int>(bins));
  Measured measured;
  measured.sums = program.launch(blocks, threads, merged, program.buffer(values), partials);
  measured.results.assign(merged, merged + bins);
  return measured;
}

Measured scan(const std::string &directive, unsigned threads) {
  const int segment = 96, blocks = 4, count = segment * blocks - 5;
  OptimizedKernel program("tests/transform/consolidate/block96_scan.cu", directive);
  std::vector<int> values(segment * blocks);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int(i * 5 % 37);
  int *sums = program.buffer(std::vector<int>(segment * blocks));
  Measured measured;
  measured.sums = program.launch(blocks, threads, sums, program.buffer(values), count);
  measured.results.assign(sums, sums + segment * blocks);
  return measured;
}

} // namespace

TEST(ConsolidateCounters, ABlocksBarriersBecomeOneWarpsSynchronizations) {
  Measured original = histogram("", 256), aggregated = histogram(firstStage, 32);
  EXPECT_EQ(aggregated.results, original.results);
  // Nine barriers, at each of which each of a block's eight warps waited.
  EXPECT_EQ(original.sums.barrierWaits, 8u * 8 * 9);
  EXPECT_EQ(aggregated.sums.barrierWaits, 0u);
  EXPECT_EQ(aggregated.sums.warpSyncs, 8u * 9);
  EXPECT_EQ(aggregated.sums.warps, 8u);
}

TEST(ConsolidateCounters, WhatGoesThroughSharedMemoryStaysTheSame) {
  Measured original = histogram("", 256), aggregated = histogram(firstStage, 32);
  EXPECT_EQ(aggregated.sums.sharedLoads, original.sums.sharedLoads);
  EXPECT_EQ(aggregated.sums.sharedStores, original.sums.sharedStores);
  EXPECT_EQ(aggregated.sums.shuffles, original.sums.shuffles);
}

TEST(ConsolidateCounters, ThreeWarpsOfAScanBecomeOne) {
  Measured original = scan("", 96), aggregated = scan(firstStage, 32);
  EXPECT_EQ(aggregated.results, original.results);
  EXPECT_GT(original.sums.barrierWaits, 0u);
  EXPECT_EQ(aggregated.sums.barrierWaits, 0u);
  EXPECT_EQ(aggregated.sums.warpSyncs * 3, original.sums.barrierWaits);
}

TEST(ConsolidateCounters, ATreeInRegistersLeavesSharedMemoryAlone) {
  Measured aggregated = histogram(firstStage, 32), remapped = histogram(secondStage, 32);
  EXPECT_EQ(remapped.results, aggregated.results);
  EXPECT_GT(aggregated.sums.sharedLoads, 0u);
  EXPECT_EQ(remapped.sums.sharedLoads, 0u);
  EXPECT_EQ(remapped.sums.sharedStores, 0u);
  EXPECT_EQ(aggregated.sums.shuffles, 0u);
  // Of the tree's steps the last five cross lanes. Each is a shuffle for each of the eight registers: they
  // are moved out of the branch that leaves only the first one of use.
  EXPECT_EQ(remapped.sums.shuffles, 8u * 5 * 8);
}

TEST(ConsolidateCounters, AScanInRegistersShufflesAtDistancesBelow32Alone) {
  Measured original = scan("", 96), remapped = scan(secondStage, 32);
  EXPECT_EQ(remapped.results, original.results);
  EXPECT_EQ(remapped.sums.sharedLoads, 0u);
  EXPECT_EQ(remapped.sums.sharedStores, 0u);
  // Distances 1, 2, 4, 8, 16 for three registers, in each of four blocks; 32 and 64 are other registers.
  EXPECT_EQ(remapped.sums.shuffles, 4u * 5 * 3);
}
