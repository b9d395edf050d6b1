// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/Profiler.h"

#include "Kernels.h"
#include "divergence/Metrics.h"
#include "divergence/Summary.h"
#include "support/Paths.h"
#include "vm/Counters.h"
#include "vm/Runner.h"

#include <numeric>
#include <random>

namespace heddle::divergence {
namespace {

using vm::test::Runner;

template <class... P> LaunchProfile profiled(Runner &runner, vm::Dim3 grid, vm::Dim3 block, P... parameters) {
  const vm::Kernel &kernel = *runner.kernel();
  Profiler profiler(kernel, kernelInputs(kernel));
  runner.observer = &profiler;
  runner.run(grid, block, parameters...);
  return profiler.take(16);
}

LaunchProfile profileOf(const std::string &ptx, vm::Dim3 grid, vm::Dim3 block, std::vector<int> in = {0}) {
  Runner runner(ptx);
  return profiled(runner, grid, block, runner.buffer<int>(in));
}

std::vector<uint32_t> vectorOf(const LaunchProfile &profile, uint32_t thread) {
  auto counts = profile.vectors.thread(thread);
  return {counts.begin(), counts.end()};
}

std::vector<double> ones(const LaunchProfile &profile) {
  return std::vector<double>(profile.blocks.size(), 1.0);
}

TEST(Profiler, EachThreadHasTheVectorOfItsWay) {
  const LaunchProfile profile = profileOf(evenOrOdd, {3}, {64});
  ASSERT_EQ(profile.vectors.threads(), 192u);
  EXPECT_EQ(profile.vectors.distinct(), 2u);
  for (uint32_t t = 0; t < 192; ++t)
    EXPECT_EQ(vectorOf(profile, t),
              t % 2 ? (std::vector<uint32_t>{1, 0, 1, 1}) : (std::vector<uint32_t>{1, 1, 0, 1}));
}

TEST(Profiler, AgreesWithTheCountersOfTheSimulator) {
  const std::vector<int> lengths = {5, 0, 7, 2, 2, 9, 1, 0};
  std::vector<int> in(2 * 96);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = lengths[i % lengths.size()];
  Runner runner(loopOfLoaded);
  int *buffer = runner.buffer<int>(in);
  const LaunchProfile profile = profiled(runner, {2}, {96}, buffer);
  vm::Counters counters;
  runner.observer = &counters;
  runner.run({2}, {96}, buffer);
  const vm::CounterSums &sums = counters.launches().back().sums;
  uint64_t divergent = 0, instructions = 0, warpInstructions = 0;
  for (const Branch &branch : profile.branches)
    divergent += branch.divergent;
  for (const CodeBlock &block : profile.blocks)
    for (const auto &[cls, count] : block.instructions)
      instructions += count * block.lanes, warpInstructions += count * block.entries;
  EXPECT_EQ(divergent, sums.divergentBranches);
  EXPECT_EQ(profile.warps, sums.warps);
  EXPECT_EQ(profile.divergentWarps, sums.divergentWarps);
  EXPECT_EQ(instructions, sums.threadInstructions());
  EXPECT_EQ(warpInstructions, sums.warpInstructions());
  EXPECT_EQ(profile.globalRequests, sums.globalRequests);
  EXPECT_EQ(profile.globalSectors, sums.globalSectors);
}

TEST(Profiler, TheVectorsCountWhatThreadsExecuted) {
  const LaunchProfile profile = profileOf(loopOfLoaded, {1}, {40}, [] {
    std::vector<int> in(40);
    std::iota(in.begin(), in.end(), 0);
    return in;
  }());
  for (uint32_t t = 0; t < 40; ++t)
    EXPECT_EQ(profile.vectors.thread(t)[1], t);
  for (size_t b = 0; b < profile.blocks.size(); ++b) {
    uint64_t sum = 0;
    for (uint32_t t = 0; t < 40; ++t)
      sum += profile.vectors.thread(t)[b];
    EXPECT_EQ(profile.blocks[b].lanes, sum);
  }
}

/// Every slot of an entered block is either used, or lost at one branch, or of a lane that is not there.
TEST(Profiler, EveryLostSlotHasOneWhoIsToBlame) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  std::vector<int> in(4 * 80);
  for (int &length : in)
    length = int(random() % 6);
  for (const std::string &kernel : {evenOrOdd, loopOfLoaded, loopOfSquare}) {
    const LaunchProfile profile = profileOf(kernel, {4}, {80}, in);
    for (size_t b = 0; b < profile.blocks.size(); ++b) {
      uint64_t accounted = profile.blocks[b].lanes + profile.absentLanes[b];
      for (const Branch &branch : profile.branches)
        accounted += branch.lostLanes.empty() ? 0 : branch.lostLanes[b];
      EXPECT_EQ(accounted, 32 * profile.blocks[b].entries) << "block " << b;
    }
  }
}

TEST(Profiler, HalfOfTheLanesOfEachSideAreLostAtTheBranchThatPartsThem) {
  const LaunchProfile profile = profileOf(evenOrOdd, {1}, {32});
  ASSERT_EQ(profile.branches.size(), 1u);
  EXPECT_EQ(profile.branches[0].executions, 1u);
  EXPECT_EQ(profile.branches[0].divergent, 1u);
  EXPECT_EQ(profile.branches[0].lostLanes, (std::vector<uint64_t>{0, 16, 16, 0}));
}

TEST(Profiler, LanesThatLeaveALoopEarlyAreLostAtItsEnd) {
  // 31 threads go once around, one goes three times: two iterations with 31 empty slots each.
  std::vector<int> in(32, 1);
  in[7] = 3;
  const LaunchProfile profile = profileOf(loopOfLoaded, {1}, {32}, in);
  ASSERT_EQ(profile.branches.size(), 2u);
  EXPECT_EQ(profile.branches[0].divergent, 0u);
  EXPECT_EQ(profile.branches[1].divergent, 1u) << "the last iteration ends for the one lane alone";
  EXPECT_EQ(profile.branches[1].lostLanes, (std::vector<uint64_t>{0, 62, 0}));
}

TEST(Profiler, LanesThatAWarpNeverHadAreNoBranchsFault) {
  const LaunchProfile profile = profileOf(evenOrOdd, {1}, {8});
  EXPECT_EQ(profile.absentLanes, (std::vector<uint64_t>{24, 24, 24, 24}));
  EXPECT_EQ(profile.branches[0].lostLanes, (std::vector<uint64_t>{0, 4, 4, 0}));
}

TEST(Profiler, TheModelsMaximumIsWhatALoopOfOneWarpTakes) {
  std::vector<int> in(64);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int(i * 7 % 13);
  const LaunchProfile profile = profileOf(loopOfLoaded, {1}, {64}, in);
  const Metrics metrics = metricsOf(profile.vectors, ones(profile), 64, {1, 1, 32});
  uint64_t entries = 0;
  for (const CodeBlock &block : profile.blocks)
    entries += block.entries;
  EXPECT_EQ(metrics.warpCycles, double(entries)); // for one loop (2) is exact
}

TEST(Profiler, WhatWasLoadedFirstIsKeptForEachThread) {
  std::vector<int> in(64);
  std::iota(in.begin(), in.end(), -3);
  const LaunchProfile profile = profileOf(loopOfLoaded, {2}, {32}, in);
  for (size_t i = 0; i < profile.inputs.inputs.size(); ++i)
    if (profile.inputs.inputs[i].kind == Input::Kind::Element)
      for (uint32_t t = 0; t < 64; ++t)
        EXPECT_EQ(profile.inputs.values[i][t], in[t]);
}

TEST(ProfileFile, ComesBackAsItWasWritten) {
  std::vector<int> in(96);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int(i % 5);
  ProgramProfile profile;
  profile.launches.push_back(profileOf(loopOfLoaded, {3}, {32}, in));
  profile.skipped["k"] = 4;
  profile.complete = true;
  TemporaryFolder folder;
  ASSERT_TRUE(writeProfile(folder.path() / "p", profile));
  ProgramProfile back;
  ASSERT_TRUE(readProfile(folder.path() / "p", back));
  EXPECT_TRUE(back.complete);
  EXPECT_EQ(back.skipped, profile.skipped);
  ASSERT_EQ(back.launches.size(), 1u);
  const LaunchProfile &a = profile.launches[0], &b = back.launches[0];
  for (uint32_t t = 0; t < 96; ++t)
    EXPECT_EQ(vectorOf(a, t), vectorOf(b, t));
  ASSERT_EQ(a.branches.size(), b.branches.size());
  EXPECT_EQ(a.branches[1].lostLanes, b.branches[1].lostLanes);
  EXPECT_EQ(a.inputs.inputs, b.inputs.inputs);
  EXPECT_EQ(a.inputs.ofBlock, b.inputs.ofBlock);
  EXPECT_EQ(a.blocks[0].instructions, b.blocks[0].instructions);
  EXPECT_FALSE(readProfile(folder.path() / "nothing", back));
}

/// A small device, so that sums can be followed: latencies of two classes, others replace.
arch::Arch smallDevice() {
  Diagnostics diagnostics;
  arch::Arch arch = *arch::findArch("sm_90", diagnostics);
  arch.deviceSms = 2;
  arch.latencies = arch::LatencyTable{"a test", {{"mul.lo.s32", 10}}, {}};
  return arch;
}

TEST(Summary, LostSlotsAreTheSharesOfLinesTogether) {
  std::vector<int> in(256);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int(i * 31 % 17);
  ProgramProfile profile;
  profile.launches.push_back(profileOf(loopOfLoaded, {4}, {64}, in));
  const std::vector<KernelSummary> kernels = summarize(profile, smallDevice());
  ASSERT_EQ(kernels.size(), 1u);
  double shares = kernels[0].absentShare;
  for (const LineLoss &line : kernels[0].lines)
    shares += line.share;
  EXPECT_NEAR(shares, kernels[0].lostShare, 1e-12);
  EXPECT_GT(kernels[0].lostShare, 0.1);
  EXPECT_GT(kernels[0].latenciesSubstituted, 0u);
  EXPECT_EQ(kernels[0].latenciesCounted, 0u);
}

TEST(Summary, GroupedByLengthALoopLosesLess) {
  std::vector<int> in(1024);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int(i % 32);
  ProgramProfile profile;
  profile.launches.push_back(profileOf(loopOfLoaded, {8}, {128}, in));
  const KernelSummary kernel = summarize(profile, smallDevice())[0];
  for (const RegroupEstimate &estimate : kernel.regrouped) {
    EXPECT_NEAR(estimate.lostShare, 0, 1e-12) << nameOf(estimate.algorithm);
    EXPECT_EQ(estimate.divergentWarps, 0u) << nameOf(estimate.algorithm);
    EXPECT_LT(estimate.scheduled, kernel.scheduled) << nameOf(estimate.algorithm);
  }
  EXPECT_NEAR(kernel.byPrediction.lostShare, 0, 1e-12) << "the length is loaded, so it is known beforehand";
}

TEST(Summary, LaunchesOfOneKernelAreAddedUp) {
  ProgramProfile profile;
  profile.launches.push_back(profileOf(evenOrOdd, {2}, {32}));
  profile.launches.push_back(profileOf(evenOrOdd, {4}, {32}));
  profile.skipped["k"] = 3;
  const std::vector<KernelSummary> kernels = summarize(profile, smallDevice());
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].launches, 2u);
  EXPECT_EQ(kernels[0].skippedLaunches, 3u);
  EXPECT_EQ(kernels[0].warps, 6u);
  EXPECT_EQ(kernels[0].divergentBranches, 6u);
}

} // namespace
} // namespace heddle::divergence
