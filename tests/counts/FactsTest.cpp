// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts/Facts.h"

#include "Tables.h"
#include "support/Paths.h"

#include <gtest/gtest.h>

#include <fstream>

namespace heddle::counts {
namespace {

LaunchFacts launch(const std::string &kernel, uint64_t branches) {
  LaunchFacts made;
  made.kernel = kernel;
  made.grid[0] = 132 * 64, made.block[0] = 128;
  made.registers = 24;
  made.instructions["bra"] = branches;
  return made;
}

TEST(CountersFile, ComesBackAsItWasWritten) {
  ProgramCounters written;
  written.arch = "sm_90";
  written.complete = true;
  written.skipped["a"] = 3;
  LaunchFacts one = launch("a", 17);
  one.number = 2;
  one.grid[1] = 3, one.block[2] = 2;
  one.spillBytes = 8, one.sharedBytes = 4096;
  one.distinctSectors = 1ull << 40, one.readSectors = 5, one.writtenSectors = 6, one.blockSectors = 7;
  one.blockTime = {1.5, 2.25}, one.longestBlock = {0.5, 0.75};
  one.sums.globalLines = 9, one.sums.shuffles = 10;
  one.sums.classes[3] = {11, 12};
  written.launches.push_back(one);
  TemporaryFolder folder;
  ASSERT_TRUE(writeCounters(folder.path() / "counters.json", written));
  ProgramCounters read;
  ASSERT_TRUE(readCounters(folder.path() / "counters.json", read));
  EXPECT_EQ(read.arch, "sm_90");
  EXPECT_TRUE(read.complete);
  EXPECT_EQ(read.skipped, written.skipped);
  ASSERT_EQ(read.launches.size(), 1u);
  const LaunchFacts &back = read.launches[0];
  EXPECT_EQ(back.kernel, "a");
  EXPECT_EQ(back.number, 2u);
  EXPECT_EQ(back.grid[1], 3u);
  EXPECT_EQ(back.block[2], 2u);
  EXPECT_EQ(back.registers, 24u);
  EXPECT_EQ(back.distinctSectors, 1ull << 40);
  EXPECT_EQ(back.readSectors + back.writtenSectors + back.blockSectors, 18u);
  EXPECT_EQ(back.blockTime.rounds, 2.25);
  EXPECT_EQ(back.longestBlock.cycles, 0.5);
  EXPECT_EQ(back.instructions, one.instructions);
  EXPECT_EQ(back.sums.globalLines, 9u);
  EXPECT_EQ(back.sums.shuffles, 10u);
  EXPECT_EQ(back.sums.classes[3].thread, 12u);
}

TEST(CountersFile, WhatIsNoneIsRefused) {
  TemporaryFolder folder;
  ProgramCounters read;
  EXPECT_FALSE(readCounters(folder.path() / "missing", read));
  std::ofstream(folder.path() / "torn") << R"({"schema": "heddle.counters/1", "launch)";
  EXPECT_FALSE(readCounters(folder.path() / "torn", read));
  std::ofstream(folder.path() / "other") << R"({"schema": "heddle.profile/2"})";
  EXPECT_FALSE(readCounters(folder.path() / "other", read));
}

TEST(FactsOf, WhatPtxasSaysTakesTheEstimatesPlace) {
  ProgramCounters counters;
  counters.launches = {launch("a", 1), launch("b", 1)};
  const std::vector<LaunchFacts> facts = factsOf(counters, {{"a", {77, 16}}, {"other", {1, 1}}});
  EXPECT_EQ(facts[0].registers, 77u);
  EXPECT_EQ(facts[0].spillBytes, 16u);
  EXPECT_EQ(facts[1].registers, 24u);
}

TEST(EstimateProgram, IsTheSumOfItsLaunchesWithThoseThatWereNotCounted) {
  ProgramCounters counters;
  counters.launches = {launch("a", 1'000'000'000), launch("a", 3'000'000'000), launch("b", 500'000'000)};
  const double first = estimate(counters.launches[0], h200()).micros,
               second = estimate(counters.launches[1], h200()).micros,
               third = estimate(counters.launches[2], h200()).micros;
  const ProgramEstimate all = estimateProgram(counters, counters.launches, h200());
  EXPECT_DOUBLE_EQ(all.micros, first + second + third);
  EXPECT_EQ(all.kernel, "a");
  EXPECT_DOUBLE_EQ(all.slowest.micros, second);
  counters.skipped["a"] = 4;
  EXPECT_DOUBLE_EQ(estimateProgram(counters, counters.launches, h200()).micros,
                   first + second + third + 4 * (first + second) / 2);
}

/// Four blocks leave an H200 idle; as many as fill it are bound by what they do.
TEST(EstimateKernels, AreEstimatedAsIfTheyFilledTheDevice) {
  LaunchFacts small = launch("a", 4 * 1'000'000);
  small.grid[0] = 4;
  small.sums.warps = 16;
  const auto kernels = estimateKernels({small, small, launch("b", 1)}, h200());
  ASSERT_EQ(kernels.size(), 2u);
  const KernelEstimate &a = kernels.at("a");
  EXPECT_EQ(a.launches, 2u);
  EXPECT_EQ(a.sum.limit, model::Limit::Issue);
  EXPECT_DOUBLE_EQ(a.factor, factorToFill(small, h200()));
  EXPECT_DOUBLE_EQ(a.sum.micros, 2 * estimate(scaled(small, a.factor), h200()).micros);
}

} // namespace
} // namespace heddle::counts
