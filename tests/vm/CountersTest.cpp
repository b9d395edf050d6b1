// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/Counters.h"

#include "vm/Order.h"
#include "vm/Runner.h"

namespace heddle::vm::test {
namespace {

std::vector<uint64_t> strided(uint64_t stride, uint64_t first = 0) {
  std::vector<uint64_t> addresses(32);
  for (uint64_t i = 0; i < 32; ++i)
    addresses[i] = first + i * stride;
  return addresses;
}

TEST(BankUse, NeighboursShareOnePassAndOneColumnNeedsThirtyTwo) {
  EXPECT_EQ(bankUse(strided(4).data(), ~0u, 4).wavefronts, 1u);
  EXPECT_EQ(bankUse(strided(8).data(), ~0u, 4).wavefronts, 2u);
  EXPECT_EQ(bankUse(strided(128).data(), ~0u, 4).wavefronts, 32u);
  EXPECT_EQ(bankUse(strided(128).data(), ~0u, 4).conflicts, 31u);
  EXPECT_EQ(bankUse(strided(132).data(), ~0u, 4).wavefronts, 1u); // the padded column
  EXPECT_EQ(bankUse(strided(0).data(), ~0u, 4).wavefronts, 1u);   // one word for all
}

TEST(BankUse, AtomicsOnOneWordTakeAPassEach) {
  EXPECT_EQ(bankUse(strided(0).data(), ~0u, 4, Sharing::Nothing).wavefronts, 32u);
  EXPECT_EQ(bankUse(strided(4).data(), ~0u, 4, Sharing::Nothing).wavefronts, 1u);
  EXPECT_EQ(bankUse(strided(2).data(), ~0u, 4, Sharing::Nothing).wavefronts, 2u); // two lanes a word
}

TEST(BankUse, WideAccessesGoByHalvesAndQuarters) {
  EXPECT_EQ(bankUse(strided(8).data(), ~0u, 8).wavefronts, 2u);
  EXPECT_EQ(bankUse(strided(8).data(), ~0u, 8).conflicts, 0u);
  EXPECT_EQ(bankUse(strided(16).data(), ~0u, 16).wavefronts, 4u);
  EXPECT_EQ(bankUse(strided(16).data(), 0xff, 16).wavefronts, 1u);
}

TEST(Sectors, CoalescedStridedAndScattered) {
  EXPECT_EQ(sectors(strided(4, 1024).data(), ~0u, 4), 4u);
  EXPECT_EQ(sectors(strided(4, 1028).data(), ~0u, 4), 5u);
  EXPECT_EQ(sectors(strided(32).data(), ~0u, 4), 32u);
  EXPECT_EQ(sectors(strided(16, 4096).data(), ~0u, 16), 16u);
}

TEST(Sectors, AWideCopyTouchesAllBetweenItsEnds) {
  SectorBuffer room;
  const uint64_t from[32] = {4096 + 16};
  const std::span<const uint64_t> list = sectorsOf(from, 1, 100, room);
  EXPECT_EQ(std::vector<uint64_t>(list.begin(), list.end()), (std::vector<uint64_t>{128, 129, 130, 131}));
  const std::vector<uint64_t> falling = {320, 64, 330, 64};
  const std::span<const uint64_t> rising = sectorsOf(falling.data(), 0xf, 4, room);
  EXPECT_EQ(std::vector<uint64_t>(rising.begin(), rising.end()), (std::vector<uint64_t>{2, 10}));
}

const std::string Kernel =
    ".visible .entry k(.param .u64 out) {\n"
    ".reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .pred %p<4>; .shared .align 4 .b8 tile[4096];\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 7; mov.u32 %r2, tile; add.u32 %r2, "
    "%r2, %r1;\n"
    "st.shared.u32 [%r2], %r0; bar.sync 0; and.b32 %r3, %r0, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra SKIP;\n"
    "ld.shared.u32 %r4, [%r2];\nSKIP: mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1; st.global.u32 "
    "[%rd1], %r0; ret; }\n";

TEST(Counters, OneLaunchIsCountedByClass) {
  Runner runner(Kernel);
  Counters counters;
  runner.observer = &counters;
  auto *out = runner.buffer<uint32_t>(32);
  LaunchResult result = runner.run({3}, {32}, out);
  ASSERT_EQ(counters.launches().size(), 1u);
  const CounterSums &sums = counters.launches()[0].sums;
  EXPECT_EQ(counters.launches()[0].kernel, "k");
  EXPECT_EQ(sums.warps, 3u);
  EXPECT_EQ(sums.divergentWarps, 3u);
  EXPECT_EQ(sums.branches, 3u);
  EXPECT_EQ(sums.divergentBranches, 3u);
  EXPECT_EQ(sums.classes[unsigned(InstructionClass::SharedLoad)].thread, 48u);
  EXPECT_EQ(sums.sharedLoads, 48u);
  EXPECT_EQ(sums.sharedStores, 96u);
  EXPECT_EQ(sums.sharedRequests, 6u);
  EXPECT_EQ(sums.sharedWavefronts, 3u * (32 + 16));
  EXPECT_EQ(sums.globalSectors, 12u);
  EXPECT_EQ(sums.globalStoreSectors, 12u);
  EXPECT_EQ(sums.barrierWaits, 3u);
  EXPECT_EQ(sums.threadInstructions(), result.threadInstructions);
  EXPECT_EQ(sums.warpInstructions(), result.warpInstructions);
}

TEST(Counters, WithoutAnObserverTheTotalsAreTheSame) {
  Runner runner(Kernel);
  auto *out = runner.buffer<uint32_t>(32);
  LaunchResult plain = runner.run({3}, {32}, out);
  Counters counters;
  runner.observer = &counters;
  LaunchResult watched = runner.run({3}, {32}, out);
  EXPECT_EQ(plain.threadInstructions, watched.threadInstructions);
}

TEST(BlockVectors, EachThreadCountsItsOwnBlocks) {
  Runner runner(".visible .entry k(.param .u64 out) {\n.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .pred "
                "%p;\nmov.u32 %r0, %tid.x;\n"
                "LOOP: sub.u32 %r0, %r0, 1; setp.ge.s32 %p, %r0, 0; @%p bra LOOP;\nret; }\n");
  BlockVectors vectors;
  runner.observer = &vectors;
  runner.run({2}, {40}, runner.buffer<uint32_t>(1));
  ASSERT_EQ(vectors.threads(), 80u);
  ASSERT_EQ(vectors.blocks(), 3u);
  for (uint64_t t = 0; t < 80; ++t) {
    EXPECT_EQ(vectors.count(t, 0), 1u);
    EXPECT_EQ(vectors.count(t, 1), t % 40 + 1) << t;
    EXPECT_EQ(vectors.count(t, 2), 1u);
  }
}

// --- the order of blocks
// ---------------------------------------------------------------------------------------

ptx::Block blockTo(std::vector<uint32_t> succs) {
  ptx::Block block;
  block.succs = std::move(succs);
  return block;
}

TEST(Order, ALoopIsBeforeItsExitAndInnerLoopsAreTogether) {
  // 0 -> 1; 1 -> 2 | 5 (exit); 2 -> 3; 3 -> 3 | 4 (inner); 4 -> 1; 5
  BlockOrder order =
      orderBlocks({blockTo({1}), blockTo({5, 2}), blockTo({3}), blockTo({3, 4}), blockTo({1}), blockTo({})});
  EXPECT_EQ(order.place, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(order.loopEnd[1], 4u);
  EXPECT_EQ(order.loopEnd[3], 3u);
  EXPECT_EQ(order.loopEnd[0], ptx::kNone);
}

TEST(Order, IrreducibleLoopsAreOrderedToo) {
  // 0 -> 1 | 2; 1 -> 2 | 3; 2 -> 1; 3
  BlockOrder order = orderBlocks({blockTo({1, 2}), blockTo({2, 3}), blockTo({1}), blockTo({})});
  EXPECT_EQ(order.place[0], 0u);
  EXPECT_EQ(order.place[3], 3u);
}

} // namespace
} // namespace heddle::vm::test
