// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Consolidation is for barriers that nobody waits at: the machine's counters must show them gone, with what
// goes through shared memory as it was.
#include "vm/Counters.h"

#include "TestPaths.h"
#include "build/DevicePtx.h"
#include "ptx/Parser.h"
#include "support/Paths.h"
#include "support/Process.h"
#include "vm/Machine.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace heddle;

namespace {

const std::filesystem::path programs = std::filesystem::path(HEDDLE_SOURCE_DIR) / "tests" / "consolidate";

/// A program's only kernel, as it is or consolidated, compiled by Clang and loaded into a machine.
class Program {
public:
  Program(const std::string &name, const std::string &directive) : machine(vm::Limits()) {
    std::filesystem::path file = programs / (name + ".cu");
    if (!directive.empty()) {
      const std::filesystem::path changed = folder.path() / (name + ".cu");
      ProcessResult made = runProcess({HEDDLE_BUILD_DIR "/heddle", "opt", file, "-o", changed, "-d",
                                       directive, "--no-check", "--cuda-path", "none"});
      EXPECT_TRUE(made.succeeded()) << made.standardError;
      file = changed;
    }
    build::Request request;
    request.sources = {{file}, {"-I" + programs.string()}};
    request.compiler = build::Compiler::Clang;
    Diagnostics diagnostics;
    build::DevicePtx device = build::compileToPtx(request, diagnostics);
    EXPECT_TRUE(device.ok) << device.messages;
    auto parsed = std::make_shared<ptx::Module>(ptx::parse(device.text, "", diagnostics));
    module = machine.load(parsed, diagnostics);
    EXPECT_TRUE(module && diagnostics.empty());
  }

  int *buffer(const std::vector<int> &values) {
    auto *at = static_cast<int *>(
        machine.memory().allocate(values.size() * sizeof(int), vm::AllocationKind::Device));
    std::copy(values.begin(), values.end(), at);
    return at;
  }

  template <class... Parameter>
  vm::CounterSums launch(unsigned blocks, unsigned threads, Parameter... parameters) {
    Diagnostics diagnostics;
    vm::LaunchRequest request;
    request.kernel = module->kernel(module->kernelNames().at(0), diagnostics);
    request.grid = {blocks}, request.block = {threads};
    (add(request, parameters), ...);
    vm::Counters counters;
    vm::LaunchResult result = machine.launch(request, &counters);
    EXPECT_TRUE(result.ok()) << result.refusal;
    return counters.launches().at(0).sums;
  }

private:
  template <class T> static void add(vm::LaunchRequest &request, T value) {
    size_t at = (request.parameters.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    request.parameters.resize(at + sizeof(T));
    std::memcpy(request.parameters.data() + at, &value, sizeof(T));
  }

  TemporaryFolder folder;
  vm::Machine machine;
  vm::LoadedModule *module = nullptr;
};

constexpr const char *firstStage = "consolidate remap=off delegate=off";
constexpr const char *secondStage = "consolidate remap=on delegate=off";

struct Measured {
  vm::CounterSums sums;
  std::vector<int> results;
};

Measured histogram(const std::string &directive, unsigned threads) {
  const int bins = 256, partials = 300, blocks = 8;
  Program program("histogram_merge", directive);
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
  Program program("block96_scan", directive);
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
