// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts/LaunchCounter.h"

#include "Tables.h"
#include "vm/Runner.h"

namespace heddle::counts {
namespace {

using vm::test::Runner;

/// out[i] = in[i * 2^shift] + in[...]: every thread reads an element (twice) and writes one.
const std::string strided =
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .u32 shift) {\n"
    ".reg .b64 %rd<8>; .reg .b32 %r<16>;\n"
    "ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.param.u32 %r9, [shift];\n"
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %r3, %r0, %r1, %r2;\n"
    "shl.b32 %r4, %r3, %r9; mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd0, %rd2;\n"
    "ld.global.u32 %r5, [%rd3]; ld.global.u32 %r6, [%rd3]; add.u32 %r7, %r5, %r6;\n"
    "mul.wide.s32 %rd4, %r3, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r7; ret; }\n";

template <class... P> LaunchFacts counted(Runner &runner, vm::Dim3 grid, vm::Dim3 block, P... parameters) {
  const vm::Kernel &kernel = *runner.kernel();
  const KernelCode code = codeOf(kernel, h200());
  LaunchCounter counter(kernel, code);
  runner.observer = &counter;
  runner.run(grid, block, parameters...);
  return counter.take(20);
}

/// 128 aligned bytes at least, whatever the simulator's memory gives.
uint32_t *aligned(Runner &runner, size_t count) {
  auto *at = runner.buffer<uint32_t>(count + 1024);
  return reinterpret_cast<uint32_t *>((reinterpret_cast<uint64_t>(at) + 4095) / 4096 * 4096);
}

TEST(LaunchCounter, NeighboursAndStridesTouchTheSectorsTheyMust) {
  Runner runner(strided);
  uint32_t *in = aligned(runner, 64 * 1024), *out = aligned(runner, 1024);
  const LaunchFacts near = counted(runner, {4}, {256}, in, out, 0u);
  // 1024 words of 4 bytes each way: 128 sectors; the second reading of them is no new one.
  EXPECT_EQ(near.readSectors, 128u);
  EXPECT_EQ(near.writtenSectors, 128u);
  EXPECT_EQ(near.distinctSectors, 256u);
  EXPECT_EQ(near.blockSectors, 128u);
  EXPECT_EQ(near.sums.globalSectors, 3u * 128);
  EXPECT_EQ(near.sums.globalStoreSectors, 128u);
  EXPECT_EQ(near.sums.globalLines, 3u * 32);
  const LaunchFacts far = counted(runner, {4}, {256}, in, out, 3u); // a sector each
  EXPECT_EQ(far.readSectors, 1024u);
  EXPECT_EQ(far.sums.globalLines, 2u * 32 * 8 + 32);
}

TEST(LaunchCounter, BlocksThatReadTheSameReadItEachForThemselves) {
  Runner runner(strided);
  uint32_t *in = aligned(runner, 1024), *out = aligned(runner, 1024);
  const LaunchFacts same = counted(runner, {4}, {256}, in, out, 32u); // nothing is left of the index
  EXPECT_EQ(same.readSectors, 1u);
  EXPECT_EQ(same.blockSectors, 4u);
}

TEST(LaunchCounter, InstructionsByBasicBlockAreThoseOfTheSimulatorsOwnCounters) {
  Runner runner(strided);
  uint32_t *in = aligned(runner, 1024), *out = aligned(runner, 1024);
  const LaunchFacts facts = counted(runner, {3}, {96}, in, out, 0u);
  vm::Counters counters;
  runner.observer = &counters;
  runner.run({3}, {96}, in, out, 0u);
  const vm::CounterSums &plain = counters.launches().back().sums;
  for (unsigned i = 0; i < vm::InstructionClasses; ++i) {
    EXPECT_EQ(facts.sums.classes[i].warp, plain.classes[i].warp) << i;
    EXPECT_EQ(facts.sums.classes[i].thread, plain.classes[i].thread) << i;
  }
  EXPECT_EQ(facts.sums.globalSectors, plain.globalSectors);
  EXPECT_EQ(facts.sums.warps, 9u);
  EXPECT_EQ(facts.instructions.at("ld.global.l1"), 18u);
  EXPECT_EQ(facts.instructions.count("ld.param"), 0u) << "parameters are operands on a GPU";
}

TEST(LaunchCounter, ASampleOfBlocksThatAreAlikeGivesWhatAllOfThemGive) {
  Runner runner(strided);
  uint32_t *in = aligned(runner, 256 * 1024), *out = aligned(runner, 64 * 1024);
  const LaunchFacts all = counted(runner, {256}, {256}, in, out, 0u);
  const vm::Kernel &kernel = *runner.kernel();
  const KernelCode code = codeOf(kernel, h200());
  LaunchCounter counter(kernel, code);
  counter.expectIn(runner.simulator.memory().live());
  runner.observer = &counter;
  runner.request.sampleBlocks = 16;
  runner.run({256}, {256}, in, out, 0u);
  const LaunchFacts some = counter.take(20);
  EXPECT_EQ(all.countedBlocks, 0u);
  EXPECT_EQ(some.countedBlocks, 16u);
  EXPECT_EQ(some.blocks(), all.blocks());
  EXPECT_EQ(some.instructions, all.instructions);
  EXPECT_EQ(some.sums.globalSectors, all.sums.globalSectors);
  EXPECT_EQ(some.sums.warps, all.sums.warps);
  EXPECT_EQ(some.readSectors, all.readSectors);
  EXPECT_EQ(some.writtenSectors, all.writtenSectors);
  EXPECT_EQ(some.distinctSectors, all.distinctSectors);
  EXPECT_NEAR(some.blockTime.cycles, all.blockTime.cycles, 1e-3);
  EXPECT_NEAR(some.warpTime.rounds, all.warpTime.rounds, 1e-3);
}

TEST(LaunchCounter, AtomicsAreCountedByThePageThatHasMost) {
  Runner runner(".visible .entry k(.param .u64 out) {\n.reg .b64 %rd<4>; .reg .b32 %r<3>;\n"
                "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4;\n"
                "add.s64 %rd2, %rd0, %rd1; red.global.add.u32 [%rd2], 1; red.global.add.u32 [%rd0+8192], 1;\n"
                "ret; }\n");
  uint32_t *out = aligned(runner, 4096);
  const LaunchFacts facts = counted(runner, {10}, {64}, out);
  EXPECT_EQ(facts.atomicSectors, 10u * 2 * (4 + 1));
  EXPECT_EQ(facts.hottestAtomics, 10u * 2 * 4);
}

TEST(LaunchCounter, LoadsThatDoNotNeedEachOtherAreOneRound) {
  Runner runner(strided);
  uint32_t *in = aligned(runner, 1024), *out = aligned(runner, 1024);
  const LaunchFacts facts = counted(runner, {2}, {64}, in, out, 0u);
  EXPECT_NEAR(facts.blockTime.rounds, 2.0, 0.05) << "a round for each of two blocks";
  EXPECT_NEAR(facts.longestBlock.rounds, 1.0, 0.03);
  EXPECT_GT(facts.blockTime.cycles, 2 * 12.0);
}

/// A chain: each load's address is what the one before it loaded.
TEST(LaunchCounter, APointerChaseIsAsManyRoundsAsItHasLoads) {
  Runner runner(".visible .entry k(.param .u64 in) {\n.reg .b64 %rd<8>;\nld.param.u64 %rd0, [in];\n"
                "ld.global.u64 %rd1, [%rd0]; ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3, [%rd2];\n"
                "st.global.u64 [%rd0+8], %rd3; ret; }\n");
  uint64_t *at = runner.buffer<uint64_t>(2);
  at[0] = reinterpret_cast<uint64_t>(at);
  EXPECT_NEAR(counted(runner, {1}, {1}, at).blockTime.rounds, 3.0, 0.03);
}

/// The second load may be of what was stored, unless it says that no thread writes there.
TEST(LaunchCounter, ALoadWaitsForTheStoreBeforeItUnlessItIsOfReadOnlyData) {
  auto roundsWith = [](const std::string &load) {
    Runner runner(".visible .entry k(.param .u64 in) {\n.reg .b64 %rd<8>;\nld.param.u64 %rd0, [in];\n"
                  "ld.global.u64 %rd1, [%rd0]; st.global.u64 [%rd0+8], %rd1;\n" +
                  load + " %rd2, [%rd0+16]; st.global.u64 [%rd0+24], %rd2; ret; }\n");
    return counted(runner, {1}, {1}, runner.buffer<uint64_t>(4)).blockTime.rounds;
  };
  EXPECT_NEAR(roundsWith("ld.global.u64"), 2.0, 0.03);
  EXPECT_NEAR(roundsWith("ld.global.nc.u64"), 1.0, 0.03);
}

TEST(LaunchCounter, TheSlowestWarpIsTheBlocks) {
  // Warp 1 makes the loop 10 times, warp 0 once.
  Runner runner(".visible .entry k(.param .u64 in) {\n.reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p;\n"
                "mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; mul.lo.u32 %r2, %r1, 9;\n"
                "LOOP: sub.s32 %r2, %r2, 1; div.s32 %r3, %r0, %r2; setp.ge.s32 %p, %r2, 0; @%p bra LOOP;\n"
                "ret; }\n");
  const LaunchFacts facts = counted(runner, {1}, {64}, runner.buffer<uint64_t>(1));
  EXPECT_GT(facts.blockTime.cycles, 10 * 139.0);
  EXPECT_LT(facts.blockTime.cycles, 11 * 200.0) << "not the sum of both";
}

TEST(LaunchCounter, CopiesPastRegistersAreReadsOfGlobalMemory) {
  Runner runner(
      ".visible .entry k(.param .u64 in) {\n.reg .b64 %rd<8>; .reg .b32 %r<8>; .shared .align 16 .b8 "
      "tile[512];\n"
      "ld.param.u64 %rd0, [in]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 16; add.s64 %rd2, %rd0, %rd1;\n"
      "shl.b32 %r1, %r0, 4; mov.u32 %r2, tile; add.u32 %r3, %r2, %r1;\n"
      "cp.async.cg.shared.global [%r3], [%rd2], 16; cp.async.commit_group; cp.async.wait_group 0; ret; }\n");
  const LaunchFacts facts = counted(runner, {1}, {32}, aligned(runner, 128));
  EXPECT_EQ(facts.sums.asyncBytes, 512u);
  EXPECT_EQ(facts.readSectors, 16u);
  EXPECT_EQ(facts.sums.globalLines, 4u);
  EXPECT_NEAR(facts.blockTime.rounds, 1.0, 0.06);
}

TEST(LaunchCounter, FragmentsOfMatricesCostTheirBytes) {
  // 16 by 16 elements of two bytes: four wavefronts, however the simulator distributes them.
  Runner runner(
      ".shared .align 32 .b8 tile[512];\n"
      ".visible .entry k(.param .u64 out) {\n"
      ".reg .b64 %rd<2>; .reg .b32 %r<10>;\n"
      "ld.param.u64 %rd0, [out]; mov.u32 %r8, 16;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [tile], %r8;\n"
      "st.global.u32 [%rd0], %r0; ret; }\n");
  const LaunchFacts facts = counted(runner, {1}, {64}, runner.buffer<uint32_t>(1));
  EXPECT_EQ(facts.sharedPasses.byWords % 2, 0u) << "two warps alike";
  EXPECT_LE(facts.sharedPasses.byWords, 2u * 8) << "elements that two lanes have are loaded twice";
  EXPECT_GE(facts.sharedPasses.byWords, 2u * 4);
  EXPECT_GT(facts.sums.sharedWavefronts, 2u * 8) << "the simulator's layout";
}

} // namespace
} // namespace heddle::counts
