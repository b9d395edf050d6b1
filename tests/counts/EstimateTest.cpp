// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tables.h"
#include "counts/LaunchFacts.h"
#include "model/Thresholds.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::counts {
namespace {

using model::Estimate, model::Limit, model::Limits, model::nameOf;

/// A launch that fills an H200 some times over and needs nothing but what a test adds.
LaunchFacts idle() {
  LaunchFacts launch;
  launch.kernel = "k";
  launch.grid[0] = 132 * 8 * 10, launch.block[0] = 256;
  launch.registers = 32;
  launch.sums.warps = uint64_t(launch.blocks()) * 8;
  return launch;
}

double by(const Estimate &made, Limit limit) { return made.microsBy[unsigned(limit)]; }

TEST(Estimate, AnEmptyLaunchTakesWhatALaunchTakes) {
  LaunchFacts launch = idle();
  launch.grid[0] = 132; // all SMs are given their blocks at the same time
  const Estimate made = estimate(launch, h200());
  EXPECT_EQ(made.limit, Limit::Launch);
  EXPECT_NEAR(made.micros, h200().deviceLaunchNanos / 1e3, 1);
}

TEST(Estimate, StreamsTakeTheirBytesOverTheBandwidth) {
  LaunchFacts launch = idle();
  const uint64_t sectors = 64'000'000; // 2 GB read
  launch.distinctSectors = launch.readSectors = launch.blockSectors = sectors;
  launch.sums.globalSectors = sectors;
  launch.sums.globalLines = sectors / 4;
  const Estimate made = estimate(launch, h200());
  EXPECT_EQ(made.limit, Limit::Dram);
  EXPECT_TRUE(made.isMemoryBound());
  EXPECT_NEAR(by(made, Limit::Dram), 2.048e9 / (4800e9 * 0.85) * 1e6, 1);
  launch.writtenSectors = sectors; // the same data changed in place goes both ways
  EXPECT_NEAR(by(estimate(launch, h200()), Limit::Dram), 2 * by(made, Limit::Dram), 1e-6);
}

TEST(Estimate, WhatFitsIntoL2NeedsNoDram) {
  LaunchFacts launch = idle();
  launch.distinctSectors = launch.readSectors = h200().deviceL2Bytes / 32 / 4;
  launch.blockSectors = launch.sums.globalSectors = 100'000'000;
  const Estimate made = estimate(launch, h200());
  EXPECT_EQ(by(made, Limit::Dram), 0);
  EXPECT_EQ(made.limit, Limit::L2);
  EXPECT_TRUE(made.isMemoryBound());
}

TEST(Estimate, ReadingAgainWithinABlockCostsL1AndNotL2) {
  LaunchFacts launch = idle();
  launch.readSectors = launch.distinctSectors = launch.blockSectors = 4'000'000;
  launch.sums.globalSectors = 4'000'000;
  const double once = by(estimate(launch, h200()), Limit::L2);
  launch.sums.globalSectors = 32'000'000; // 12 KB per block, 97 KB per SM: L1 has it
  EXPECT_DOUBLE_EQ(by(estimate(launch, h200()), Limit::L2), once);
  launch.sharedBytes = 26 * 1024; // eight blocks of it leave L1 nothing
  EXPECT_GT(by(estimate(launch, h200()), Limit::L2), 2 * once);
}

TEST(Estimate, FourSchedulersIssueOneInstructionPerCycleEach) {
  LaunchFacts launch = idle();
  launch.instructions["bra"] = 132ull * 4 * 1'980'000;
  const Estimate made = estimate(launch, h200());
  EXPECT_EQ(made.limit, Limit::Issue);
  EXPECT_NEAR(by(made, Limit::Issue), 1000, 1e-6);
  EXPECT_FALSE(made.isMemoryBound());
}

TEST(Estimate, UnitsOfDifferentKindsWorkAtTheSameTime) {
  LaunchFacts launch = idle();
  launch.instructions["ex2.approx.f32"] = 1'000'000'000;
  const double special = by(estimate(launch, h200()), Limit::Arithmetic);
  EXPECT_NEAR(special, 1e9 * 32 / 16 / 132 / 1980, 1);
  launch.instructions["add.f64"] = 1'000'000'000;
  EXPECT_DOUBLE_EQ(by(estimate(launch, h200()), Limit::Arithmetic), special);
  launch.instructions["lg2.approx.f32"] = 1'000'000'000;
  EXPECT_DOUBLE_EQ(by(estimate(launch, h200()), Limit::Arithmetic), 2 * special);
}

TEST(Estimate, ADivisionIsManyInstructions) {
  LaunchFacts launch = idle();
  launch.instructions["add.s32"] = 1'000'000'000;
  const double sums = estimate(launch, h200()).micros;
  launch.instructions.clear();
  launch.instructions["div.s32"] = 1'000'000'000;
  EXPECT_GT(estimate(launch, h200()).micros, 10 * sums);
}

TEST(Estimate, BankConflictsArePassesOverSharedMemory) {
  LaunchFacts launch = idle();
  launch.instructions["ld.shared"] = 100'000'000;
  launch.sharedPasses.byParts = launch.sharedPasses.byWords = 100'000'000;
  const Estimate free = estimate(launch, h200());
  launch.sharedPasses.byParts = launch.sharedPasses.byWords *= 32;
  const Estimate conflicts = estimate(launch, h200());
  EXPECT_EQ(conflicts.limit, Limit::SharedMemory);
  EXPECT_NEAR(by(conflicts, Limit::SharedMemory) / by(free, Limit::SharedMemory), 32, 0.2);
  EXPECT_FALSE(conflicts.isMemoryBound());
}

TEST(Estimate, AtomicsOnOnePageWaitForItsSlicesOfL2) {
  LaunchFacts launch = idle();
  launch.instructions["red.global"] = 1'000'000;
  launch.atomicSectors = 16'000'000, launch.hottestAtomics = 1000;
  const Estimate spread = estimate(launch, h200());
  launch.hottestAtomics = launch.atomicSectors;
  const Estimate hot = estimate(launch, h200());
  EXPECT_EQ(hot.limit, Limit::L2);
  EXPECT_GT(hot.micros, 5 * spread.micros);
}

TEST(Estimate, LatencyHasItsParts) {
  LaunchFacts launch = idle();
  launch.blockTime = {1980 * launch.blocks(), 20 * launch.blocks()};
  launch.longestBlock = {1980, 20};
  const model::LatencyParts parts = estimate(launch, h200()).latency;
  EXPECT_DOUBLE_EQ(parts.waves, 10);
  EXPECT_DOUBLE_EQ(parts.chainMicros, model::threshold::launch::loadedChain);
  EXPECT_GT(parts.waitMicros, 0);
  EXPECT_NEAR(parts.longestMicros, parts.chainMicros + parts.waitMicros, 1e-9);
  launch.grid[0] += 132; // a little of one wave more
  EXPECT_GT(by(estimate(launch, h200()), Limit::Latency), 10.2 * parts.blockMicros());
}

TEST(Estimate, ScatteredAccessesArePassesOverL1AndMemoryBound) {
  LaunchFacts launch = idle();
  launch.instructions["ld.global.l1"] = 1'000'000;
  launch.sums.globalLines = 32'000'000;
  launch.sums.globalSectors = 32'000'000;
  launch.blockSectors = launch.readSectors = launch.distinctSectors = 1'000'000;
  const Estimate made = estimate(launch, h200());
  EXPECT_EQ(made.limit, Limit::SharedMemory);
  EXPECT_TRUE(made.isMemoryBound());
}

/// Warps that mostly wait: more of them on an SM take less time together.
TEST(Estimate, OccupancyHidesLatency) {
  LaunchFacts launch = idle();
  launch.blockTime = {1000 * launch.blocks(), 20 * launch.blocks()};
  launch.longestBlock = {1000, 20};
  const Estimate full = estimate(launch, h200());
  EXPECT_EQ(full.limit, Limit::Latency);
  EXPECT_EQ(full.occupancy, 100);
  launch.registers = 128;
  const Estimate quarter = estimate(launch, h200());
  EXPECT_EQ(quarter.occupancy, 25);
  EXPECT_NEAR(by(quarter, Limit::Latency) / by(full, Limit::Latency), 4, 0.01);
}

TEST(Estimate, WaitingForMemoryIsMemoryBoundAndWaitingForArithmeticIsNot) {
  LaunchFacts launch = idle();
  launch.blockTime = {100 * launch.blocks(), 20 * launch.blocks()};
  launch.sums.globalSectors = launch.blockSectors = launch.readSectors = launch.distinctSectors = 1000;
  EXPECT_TRUE(estimate(launch, h200()).isMemoryBound());
  launch.blockTime = {100 * launch.blocks(), 2 * launch.blocks()}; // less than the start of a block takes
  EXPECT_TRUE(estimate(launch, h200()).isMemoryBound());
  launch.blockTime = {100000 * launch.blocks(), launch.blocks()};
  EXPECT_FALSE(estimate(launch, h200()).isMemoryBound());
}

TEST(Estimate, OneBlockTooManyCostsAWholeRoundOfBlocks) {
  LaunchFacts launch = idle();
  launch.grid[0] = 132;
  launch.instructions["bra"] = 132'000'000;
  const double even = by(estimate(launch, h200()), Limit::Issue);
  launch.grid[0] = 133;
  launch.instructions["bra"] = 133'000'000;
  EXPECT_NEAR(by(estimate(launch, h200()), Limit::Issue), 2 * even, 1e-6);
}

TEST(Estimate, ALongBlockCannotBeOutrun) {
  LaunchFacts launch = idle();
  launch.blockTime = {launch.blocks(), 0};
  launch.longestBlock = {1'980'000, 0};
  EXPECT_NEAR(estimate(launch, h200()).micros, 1000 * model::threshold::launch::loadedChain, 5);
}

TEST(Estimate, SpillsCostPassesOverL1) {
  LaunchFacts launch = idle();
  const Estimate without = estimate(launch, h200());
  launch.spillBytes = 400;
  EXPECT_GT(by(estimate(launch, h200()), Limit::SharedMemory), by(without, Limit::SharedMemory) + 1);
}

TEST(Estimate, WhatCannotBeLaunchedTakesForEverAndSaysWhy) {
  LaunchFacts launch = idle();
  launch.sharedBytes = 1 << 20;
  const Estimate made = estimate(launch, h200());
  EXPECT_TRUE(std::isinf(made.micros));
  EXPECT_FALSE(made.impossible.empty());
}

TEST(Estimate, MoreSharedMemoryThanIsGivenUnaskedIsNoFailure) {
  LaunchFacts launch = idle();
  launch.sharedBytes = 64 * 1024;
  const Estimate made = estimate(launch, h200());
  EXPECT_EQ(made.impossible, "");
  EXPECT_EQ(made.occupancy, 37.5);
}

TEST(Estimate, GenerationsWithoutLatenciesAreEstimatedToo) {
  Diagnostics diagnostics;
  const arch::Arch a10 = arch::findArch("sm_86", diagnostics).value();
  LaunchFacts launch = idle();
  launch.distinctSectors = launch.readSectors = launch.blockSectors = launch.sums.globalSectors = 10'000'000;
  launch.blockTime = {1000 * launch.blocks(), 2 * launch.blocks()};
  launch.instructions["fma.f32"] = 1'000'000;
  const Estimate made = estimate(launch, a10);
  EXPECT_EQ(made.limit, Limit::Dram);
  EXPECT_GT(made.micros, 320e6 / 600e9 * 1e6);
}

TEST(Scaled, SumsGrowAndWhatHoldsOfABlockStays) {
  LaunchFacts launch = idle();
  launch.instructions["bra"] = 1000;
  launch.blockTime = {5000, 20};
  launch.longestBlock = {7, 2};
  launch.distinctSectors = 100;
  launch.sums.sharedWavefronts = 30;
  launch.sums.classes[0] = {4, 128};
  const LaunchFacts more = scaled(launch, 2.5);
  EXPECT_DOUBLE_EQ(more.blocks(), 2.5 * launch.blocks());
  EXPECT_EQ(more.instructions.at("bra"), 2500u);
  EXPECT_EQ(more.distinctSectors, 250u);
  EXPECT_EQ(more.sums.sharedWavefronts, 75u);
  EXPECT_EQ(more.sums.classes[0].thread, 320u);
  EXPECT_EQ(more.blockTime.rounds, 50);
  EXPECT_EQ(more.longestBlock.rounds, 2);
  EXPECT_EQ(more.registers, launch.registers);
}

TEST(Scaled, FillingADeviceTakesEightSetsOfBlocks) {
  LaunchFacts launch = idle();
  EXPECT_EQ(factorToFill(launch, h200()), 1);
  launch.grid[0] = 4;
  EXPECT_DOUBLE_EQ(factorToFill(launch, h200()), 8 * 132 * 8 / 4.0);
}

/// Work that is twice as much for twice as many blocks takes twice as long, launch apart.
TEST(Scaled, TimeIsProportionalOnceTheDeviceIsFull) {
  LaunchFacts launch = idle();
  launch.instructions["add.s32"] = 500'000'000;
  launch.blockTime = {300 * launch.blocks(), launch.blocks()};
  const double launchTime = h200().deviceLaunchNanos / 1e3;
  const double one = estimate(launch, h200()).micros - launchTime,
               four = estimate(scaled(launch, 4), h200()).micros - launchTime;
  EXPECT_NEAR(four / one, 4, 0.01);
}

} // namespace
} // namespace heddle::counts
