// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/Occupancy.h"

#include "Tables.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::arch;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Occupancy at(std::string_view arch, unsigned threads, unsigned registers, size_t staticShared = 0,
             size_t dynamicShared = 0) {
  return occupancy(table(arch), {threads, registers, staticShared, dynamicShared});
}

long rounded(const Occupancy &o) { return std::lround(o.percent); }

} // namespace

// CREST, section 3: "8 registers per thread and 512 threads per block, then for a GPU with CC 2.0, we would
// have a 100% occupancy. The occupancy remains at a 100% when we reduce thread count to 256. However, it
// falls to just 67% when the thread count is reduced to 128."
TEST(CrestSection3, EightRegistersOnCompute20) {
  EXPECT_EQ(at("2.0", 512, 8).percent, 100);
  EXPECT_EQ(at("2.0", 256, 8).percent, 100);
  EXPECT_EQ(rounded(at("2.0", 128, 8)), 67);
  EXPECT_THAT(at("2.0", 128, 8).limits, ElementsAre(Resource::Blocks)); // 8 blocks of 4 warps: 32 of 48
}

// "If we assume a register count increase of two per coarsening factor for the example kernel then for a
// factor of 12, the number of required registers is 32, which drops the occupancy down to 33%."
// Read as: 8 + 2 * 12 = 32 registers, and a block of 512 threads coarsened by 12 is left with
// ceil(512 / 12) = 43 threads, 2 warps. Eight blocks of 2 warps are 16 of 48 warps. Registers alone would not
// do it: at 32 registers an SM of 2.0 holds 32 warps (67 %) whatever the block size.
TEST(CrestSection3, Factor12NeedsThirtyTwoRegistersAndReachesAThird) {
  unsigned threads = (512 + 12 - 1) / 12, registers = 8 + 2 * 12;
  Occupancy o = at("2.0", threads, registers);
  EXPECT_EQ(rounded(o), 33);
  EXPECT_EQ(o.warpsPerSm, 16u);
  EXPECT_EQ(o.blocksBy.registers, 16u);
  EXPECT_THAT(o.limits, ElementsAre(Resource::Blocks));
  EXPECT_EQ(rounded(at("2.0", 512, registers)), 67);
}

TEST(CrestSection3, OnlyBlocksOfTwoWarpsReachExactlyAThirdAtThirtyTwoRegisters) {
  for (unsigned threads = 1; threads <= 1024; ++threads)
    EXPECT_EQ(at("2.0", threads, 32).warpsPerSm == 16, threads > 32 && threads <= 64) << threads;
}

// Section 6: "the maximum performance is achieved at the lowest occupancy levels (16%)", at factor 16: blocks
// of 512 / 16 = 32 threads, 8 warps of 48. The paper cuts 16.67 off.
TEST(CrestSection6, SyntheticBenchmarkAtFactor16) { EXPECT_EQ(int(at("2.0", 512 / 16, 63).percent), 16); }

// Warp-Consolidation, Table 2. Its SM count for the K80 (15) is that of the whole GK210 chip; a K80 has 13 of
// them switched on in each of its two GPUs, so the table has 13.
TEST(WarpConsolidationTable2, LimitsOfEveryRow) {
  struct Row {
    const char *gpu, *capability;
    unsigned sms, blocks, warps, warpsPerBlock, registers, registersPerBlock, registersPerThread, shared,
        sharedPerBlock;
  };
  constexpr unsigned K = 1024;
  constexpr Row rows[] = {
      {"Tesla-K80", "3.7", 13, 16, 64, 32, 128 * K, 64 * K, 255, 112 * K, 48 * K},
      {"Tesla-M40", "5.2", 24, 32, 64, 32, 64 * K, 64 * K, 255, 96 * K, 48 * K},
      {"Tesla-P100", "6.0", 56, 32, 64, 32, 64 * K, 64 * K, 255, 64 * K, 48 * K},
      {"Tesla-V100", "7.0", 80, 32, 64, 32, 64 * K, 64 * K, 255, 96 * K, 96 * K},
  };
  for (const Row &row : rows) {
    const Arch &arch = table(row.gpu);
    SCOPED_TRACE(row.gpu);
    EXPECT_EQ(arch.computeCapability(), row.capability);
    EXPECT_EQ(arch.deviceSms, row.sms);
    EXPECT_EQ(arch.maxBlocksPerSm, row.blocks);
    EXPECT_EQ(arch.maxWarpsPerSm, row.warps);
    EXPECT_EQ(arch.maxThreadsPerBlock / arch.warpSize, row.warpsPerBlock);
    EXPECT_EQ(arch.registersPerSm, row.registers);
    EXPECT_EQ(arch.maxRegistersPerBlock, row.registersPerBlock);
    EXPECT_EQ(arch.maxRegistersPerThread, row.registersPerThread);
    EXPECT_EQ(arch.sharedBytesPerSm, row.shared);
    EXPECT_EQ(arch.maxSharedBytesPerBlockOptIn, row.sharedPerBlock);
  }
}

// Section 3.3 of the same paper: with one warp per block, Kepler's 16 block slots leave at most 16 of 64 warps,
// Maxwell's and Pascal's 32 leave half.
TEST(WarpConsolidationTable2, OneWarpBlocksFillOnlyTheBlockSlots) {
  EXPECT_EQ(at("3.7", 32, 32).percent, 25);
  EXPECT_EQ(at("5.2", 32, 32).percent, 50);
  EXPECT_EQ(at("6.0", 32, 32).percent, 50);
}

TEST(Occupancy, RegistersRoundToUnitsOf64OnFermi) {
  // 20 registers: 640 per warp, 51 warps, in twos 50; 50 / 8 = 6 blocks, all 48 warps. 21 registers: 672 rounds
  // to 704, 46 warps, 5 blocks, 40 warps.
  EXPECT_EQ(at("2.0", 256, 20).percent, 100);
  EXPECT_EQ(rounded(at("2.0", 256, 21)), 83);
  EXPECT_THAT(at("2.0", 256, 21).limits, ElementsAre(Resource::Registers));
}

TEST(Occupancy, Volta256ThreadsOf33Registers) {
  // 33 * 32 = 1056 rounds to 1280 per warp; a quarter of the file (16384) holds 12 warps, the SM 48; 48 / 8 = 6
  // blocks, 48 of 64 warps.
  Occupancy o = at("7.0", 256, 33);
  EXPECT_EQ(o.blocksPerSm, 6u);
  EXPECT_EQ(o.percent, 75);
  EXPECT_EQ(o.registersPerBlock, 8 * 1280u);
  EXPECT_THAT(o.limits, ElementsAre(Resource::Registers));
  EXPECT_EQ(at("7.0", 256, 32).percent, 100); // 1024 per warp: 64 warps
}

TEST(Occupancy, WarpsLiveWithOneSchedulerSoPartsOfTheFileStayEmpty) {
  // 168 registers: 5376 per warp. The whole file would hold 12.19 warps, each quarter 3.05: 12 warps. At 176:
  // 5632 per warp; the file would hold 11.6, but each quarter 2.9: 8 warps, so one-warp blocks number 8.
  EXPECT_EQ(at("8.0", 32, 168).blocksPerSm, 12u);
  EXPECT_EQ(at("8.0", 32, 176).blocksPerSm, 8u);
  EXPECT_EQ(at("6.0", 32, 176).blocksPerSm, 10u); // halves: 5.8, so 5 in each
}

TEST(Occupancy, AmpereReservesAKilobyteOfSharedMemoryInEachBlock) {
  // 16 KB declared is 17 KB taken: 164 / 17 = 9.6 blocks, 36 of 64 warps at 4 warps per block. Without the
  // reserve it would be 10.
  Occupancy o = at("8.0", 128, 32, 16384);
  EXPECT_EQ(o.sharedBytesPerBlock, 17408u);
  EXPECT_EQ(o.blocksPerSm, 9u);
  EXPECT_EQ(o.percent, 56.25);
  EXPECT_THAT(o.limits, ElementsAre(Resource::SharedMemory));
}

TEST(Occupancy, Sm86HasFewerWarpsThanSm80) {
  // 48 warps and 16 blocks: 128 threads of 32 registers are 4 warps, 12 blocks; 1024 threads leave 16 of the
  // 48 warps empty.
  EXPECT_EQ(at("8.6", 128, 32).blocksPerSm, 12u);
  EXPECT_EQ(at("8.6", 128, 32).percent, 100);
  EXPECT_EQ(rounded(at("8.6", 1024, 32)), 67);
  EXPECT_THAT(at("8.6", 1024, 32).limits, ElementsAre(Resource::Warps));
  EXPECT_EQ(at("8.6", 64, 32).percent * 3, 200); // 16 blocks of 2 warps
}

TEST(Occupancy, HopperHoldsOneBlockOfItsLargestSharedMemory) {
  // 227 KB and the reserved kilobyte are all 228. Half of that: 113 KB and 1 make 114, twice.
  Occupancy o = at("9.0", 256, 64, 0, 227 * 1024);
  EXPECT_EQ(o.blocksPerSm, 1u);
  EXPECT_TRUE(o.needsSharedOptIn);
  EXPECT_EQ(o.sharedCarveoutBytes, 228 * 1024u);
  EXPECT_EQ(at("9.0", 256, 64, 0, 113 * 1024).blocksPerSm, 2u);
  EXPECT_EQ(at("9.0", 256, 64, 0, 113 * 1024 + 1).blocksPerSm, 1u);
}

TEST(Occupancy, SharedMemoryRoundsUpToItsUnit) {
  // sm_70 gives units of 256: 96 KB / 3072 = 32 blocks; one byte more takes 3328 each: 29.
  EXPECT_EQ(at("7.0", 32, 16, 3072).blocksPerSm, 32u);
  EXPECT_EQ(at("7.0", 32, 16, 3073).blocksPerSm, 29u);
}

TEST(Occupancy, NamedBarriersLimitBlocksSinceHopper) {
  // 9.0 has 64 for an SM: kernels with all 16 get 4 blocks. 8.0 has no pool of its own.
  KernelResources kernel{128, 32, 0, 0, 16};
  EXPECT_EQ(occupancy(table("9.0"), kernel).blocksPerSm, 4u);
  EXPECT_THAT(occupancy(table("9.0"), kernel).limits, ElementsAre(Resource::Barriers));
  EXPECT_EQ(occupancy(table("8.0"), kernel).blocksPerSm, 16u);
}

TEST(Occupancy, TiesNameEveryLimit) {
  // 64 threads of 32 registers on 9.0: 32 blocks by slots, 64 / 2 by warps, 64 / 2 by registers.
  EXPECT_THAT(at("9.0", 64, 32).limits, ElementsAre(Resource::Warps, Resource::Blocks, Resource::Registers));
}

TEST(Occupancy, ASmallCarveoutCostsBlocks) {
  // A quarter of 228 KB is 57; the next size up is 64 KB: 64 / (8 + 1) = 7 blocks instead of 25.
  KernelResources kernel{64, 32, 8192};
  EXPECT_EQ(occupancy(table("9.0"), kernel).blocksPerSm, 25u);
  Occupancy o = occupancy(table("9.0"), kernel, 25);
  EXPECT_EQ(o.sharedCarveoutBytes, 65536u);
  EXPECT_EQ(o.blocksPerSm, 7u);
  // However little is asked for, one block must fit: 9 KB take the size of 16.
  EXPECT_EQ(occupancy(table("9.0"), kernel, 0).sharedCarveoutBytes, 16384u);
}

TEST(ImpossibleLaunch, SaysWhy) {
  EXPECT_THAT(at("9.0", 1025, 16).impossible, ElementsAre("a block has 1025 threads; sm_90 allows 1024"));
  EXPECT_THAT(at("9.0", 0, 16).impossible, ElementsAre("a block has no threads"));
  EXPECT_THAT(at("2.0", 32, 64).impossible, ElementsAre("a thread has 64 registers; sm_20 allows 63"));
  EXPECT_THAT(
      at("9.0", 1024, 65).impossible,
      ElementsAre("1024 threads of 65 registers need 73728 registers after rounding; a block of sm_90 "
                  "gets 65536"));
  EXPECT_THAT(at("9.0", 32, 16, 49153).impossible, ElementsAre(HasSubstr("declares 49153 bytes")));
  EXPECT_THAT(at("9.0", 32, 16, 0, 232449).impossible,
              ElementsAre("a block needs 232449 bytes of shared memory; sm_90 allows 232448"));
  EXPECT_THAT(occupancy(table("9.0"), {32, 16, 0, 0, 17}).impossible,
              ElementsAre("a block uses 17 barriers; sm_90 has 16"));
  EXPECT_EQ(at("9.0", 1025, 16).blocksPerSm, 0u);
}

TEST(ImpossibleLaunch, SharedMemoryBeyond48KNeedsAsking) {
  KernelResources kernel{32, 16, 0, 65536};
  kernel.sharedOptIn = false;
  EXPECT_THAT(occupancy(table("9.0"), kernel).impossible,
              ElementsAre(HasSubstr("cudaFuncAttributeMaxDynamicSharedMemorySize")));
  kernel.sharedOptIn = true;
  EXPECT_EQ(occupancy(table("9.0"), kernel).blocksPerSm, 3u);
  EXPECT_FALSE(occupancy(table("6.0"), kernel).impossible.empty())
      << "before Volta there is nothing to ask for";
}

TEST(ImpossibleLaunch, GivesEveryReason) { EXPECT_EQ(at("9.0", 2048, 300, 50000).impossible.size(), 4u); }

TEST(ImpossibleLaunch, PascalKeepsTo4WarpGroupsForItsWholeFamily) {
  // 10 warps of 176 registers fit GP100's two halves, but not the quarters of other Pascal chips (12 * 5632).
  EXPECT_EQ(at("6.0", 320, 176).blocksPerSm, 0u);
  EXPECT_EQ(at("6.0", 320, 168).blocksPerSm, 1u);
}

TEST(StepsUp, FewerRegistersGiveOneMoreBlock) {
  // 256 threads of 40 registers on 9.0: 6 blocks. 7 blocks are 56 warps, 14 in a quarter: 1170 per warp, so
  // 1024: 32 registers, which is even enough for 8.
  std::vector<OccupancyStep> steps = stepsUp(table("9.0"), {256, 40});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].blocksPerSm, 7u);
  EXPECT_EQ(steps[0].registersPerThreadAtMost, 32u);
  EXPECT_EQ(steps[0].sharedBytesAtMost, std::nullopt);
  EXPECT_EQ(steps[1].percent, 100);
}

TEST(StepsUp, LessSharedMemoryGivesOneMoreBlock) {
  // 24 KB on 9.0: 228 / 25 = 9 blocks of 4 warps. Ten blocks leave 22.8 KB each, in units of 128: 23296, less
  // the kilobyte.
  std::vector<OccupancyStep> steps = stepsUp(table("9.0"), {128, 32, 24576});
  ASSERT_EQ(steps.size(), 16u - 9u);
  EXPECT_EQ(steps[0].blocksPerSm, 10u);
  EXPECT_EQ(steps[0].sharedBytesAtMost, 23296u - 1024u);
  EXPECT_EQ(steps[0].registersPerThreadAtMost, std::nullopt);
}

TEST(StepsUp, NothingWhereTheBlockSizeIsTheLimit) { EXPECT_TRUE(stepsUp(table("2.0"), {128, 8}).empty()); }

TEST(StepsUp, ALaunchThatIsImpossibleHasAFirstStep) {
  std::vector<OccupancyStep> steps = stepsUp(table("9.0"), {1024, 128});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].registersPerThreadAtMost, 64u);
  EXPECT_EQ(steps[1].registersPerThreadAtMost, 32u);
}

TEST(StepsUp, EachStepIsReachedAndOneMoreIsTooMuch) {
  for (const Arch &arch : tables())
    for (unsigned threads : {32, 96, 256, 700})
      for (unsigned registers : {24, 47, 60}) {
        KernelResources kernel{threads, registers, 9000};
        for (const OccupancyStep &step : stepsUp(arch, kernel)) {
          KernelResources reached = kernel;
          reached.registersPerThread = step.registersPerThreadAtMost.value_or(registers);
          reached.staticSharedBytes = step.sharedBytesAtMost.value_or(9000);
          EXPECT_GE(occupancy(arch, reached).blocksPerSm, step.blocksPerSm) << arch.name;
          if (step.registersPerThreadAtMost) {
            ++reached.registersPerThread;
            EXPECT_LT(occupancy(arch, reached).blocksPerSm, step.blocksPerSm) << arch.name;
            --reached.registersPerThread;
          }
          if (step.sharedBytesAtMost) {
            ++reached.staticSharedBytes;
            EXPECT_LT(occupancy(arch, reached).blocksPerSm, step.blocksPerSm) << arch.name;
          }
        }
      }
}

TEST(BestBlockSize, TakesTheLargestOfTheBest) {
  BlockSizeChoice best = bestBlockSize(table("9.0"), {0, 32});
  EXPECT_EQ(best.threadsPerBlock, 1024u);
  EXPECT_EQ(best.minGridSize, 2 * 132u);
  // 1536 threads on 8.6 do not divide by 1024: 768 twice.
  EXPECT_EQ(bestBlockSize(table("8.6"), {0, 32}).threadsPerBlock, 768u);
}

TEST(BestBlockSize, RespectsTheKernelsBoundAndItsSharedMemory) {
  EXPECT_EQ(bestBlockSize(table("9.0"), {0, 32}, 100).threadsPerBlock, 64u)
      << "100 threads waste most of a warp";
  BlockSizeChoice best =
      bestBlockSize(table("9.0"), {0, 32}, 0, [](unsigned threads) { return size_t(threads) * 128; });
  EXPECT_EQ(best.blocksPerSm * best.threadsPerBlock, 1792u); // 228 KB / 128 bytes, less a kilobyte a block
  EXPECT_EQ(bestBlockSize(table("9.0"), {0, 300}).threadsPerBlock, 0u);
}

TEST(AvailableDynamicShared, IsTheMostThatKeepsTheBlocks) {
  EXPECT_EQ(availableDynamicShared(table("9.0"), {256, 32, 1024}, 2), 113 * 1024u - 1024u);
  EXPECT_EQ(availableDynamicShared(table("9.0"), {256, 32, 0}, 1), 227 * 1024u);
  EXPECT_EQ(availableDynamicShared(table("9.0"), {1024, 32}, 3), std::nullopt);
  EXPECT_EQ(availableDynamicShared(table("9.0"), {1024, 32}, 0), std::nullopt);
}
