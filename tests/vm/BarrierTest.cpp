// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block barriers in all forms, mbarriers, asynchronous copies, grid-wide waiting; and what misuse and
// deadlock report.
#include "vm/Runner.h"

namespace heddle::vm::test {
namespace {

const std::string Head =
    ".visible .entry k(.param .u64 out, .param .u64 in) {\n"
    ".reg .b64 %rd<16>; .reg .b32 %r<32>; .reg .pred %p<8>; .reg .f32 %f<4>;\n"
    "ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [in];\n"
    "mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd3, %rd2, %rd1; add.u64 %rd1, %rd0, %rd1;\n"
    "shr.u32 %r30, %r0, 5;\n"; // warp
const std::string StoreR1 = "st.global.u32 [%rd1], %r1; ret; }\n";

std::vector<uint32_t> counting(size_t n) {
  std::vector<uint32_t> v(n);
  for (size_t i = 0; i < n; ++i)
    v[i] = uint32_t(i * 3 + 1);
  return v;
}

TEST(Barrier, SharedMemoryIsSeenAfterTheBarrier) {
  Runner runner(
      ".shared .align 4 .b8 tile[1024];\n" + Head +
      "mov.u32 %r5, tile; shl.b32 %r6, %r0, 2; add.u32 %r6, %r5, %r6; st.shared.u32 [%r6], %r0; bar.sync 0;\n"
      "mov.u32 %r7, 255; sub.u32 %r7, %r7, %r0; shl.b32 %r7, %r7, 2; add.u32 %r7, %r5, %r7; ld.shared.u32 "
      "%r1, [%r7];\n" +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(256);
  runner.run({1}, {256}, out, out);
  for (unsigned i = 0; i < 256; ++i)
    EXPECT_EQ(out[i], 255 - i);
}

TEST(Barrier, DynamicSharedMemoryFollowsTheStatic) {
  Runner runner(".extern .shared .align 16 .b8 dyn[];\n.shared .align 4 .u32 one[3];\n" + Head +
                "st.shared.u32 [one+8], 5; mov.u32 %r5, dyn; shl.b32 %r6, %r0, 2; add.u32 %r6, %r5, %r6;\n"
                "st.shared.u32 [%r6], %r0; bar.sync 0; ld.shared.u32 %r1, [%r6]; ld.shared.u32 %r2, [one+8]; "
                "add.u32 %r1, %r1, %r2;\n" +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(64);
  runner.request.dynamicSharedBytes = 256;
  runner.run({1}, {64}, out, out);
  EXPECT_EQ(out[63], 68u);
  EXPECT_EQ(infoOf(*runner.kernel()).staticSharedBytes, 12u);
}

TEST(Barrier, ReductionsGiveEveryThreadTheResult) {
  Runner runner(
      Head +
      "setp.lt.u32 %p0, %r0, 70; bar.red.popc.u32 %r1, 0, %p0; bar.red.or.pred %p1, 0, %p0;\n"
      "barrier.red.and.pred %p2, 1, 128, %p0; @%p1 add.u32 %r1, %r1, 1000; @%p2 add.u32 %r1, %r1, 5000;\n" +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(128);
  runner.run({1}, {128}, out, out);
  for (unsigned i = 0; i < 128; ++i)
    EXPECT_EQ(out[i], 1070u);
}

TEST(Barrier, NamedBarriersLetProducersRunAhead) {
  // Warp 0 produces and arrives at barrier 1; warp 1 syncs there; barrier 2 the other way; eight rounds.
  Runner runner(
      ".shared .align 4 .u32 cell[32];\n" + Head +
      "mov.u32 %r5, cell; and.b32 %r6, %r0, 31; shl.b32 %r6, %r6, 2; add.u32 %r5, %r5, %r6; mov.u32 %r8, 0; "
      "mov.u32 %r1, 0;\n"
      "setp.ne.u32 %p0, %r30, 0; @%p0 bra CONSUMER;\n"
      "PRODUCE: setp.eq.u32 %p2, %r8, 0; @%p2 bra FIRST; bar.sync 2, 64;\n"
      "FIRST: add.u32 %r9, %r8, %r0; st.shared.u32 [%r5], %r9; membar.cta; bar.arrive 1, 64;\n"
      "add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 8; @%p1 bra PRODUCE; bar.sync 2, 64; bra DONE;\n"
      "CONSUMER: bar.sync 1, 64; ld.shared.u32 %r9, [%r5]; add.u32 %r1, %r1, %r9; bar.arrive 2, 64;\n"
      "add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 8; @%p1 bra CONSUMER;\nDONE: " +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(64);
  runner.run({1}, {64}, out, out);
  for (unsigned i = 32; i < 64; ++i)
    EXPECT_EQ(out[i], 28 + 8 * (i - 32)) << i;
}

TEST(Barrier, OneCompletesBeforeOtherWarpsBegin) {
  Runner runner(Head +
                "setp.ne.u32 %p0, %r30, 0; @%p0 bra later; bar.sync 1, 32;\nlater: add.u32 %r1, %r30, 7;\n" +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(96);
  runner.run({1}, {96}, out, out);
  for (unsigned i = 0; i < 96; ++i)
    EXPECT_EQ(out[i], 7 + i / 32);
}

TEST(Barrier, ThreadsThatExitedAreNotWaitedFor) {
  Runner runner(Head + "setp.lt.u32 %p0, %r0, 40; @%p0 ret; bar.sync 0; mov.u32 %r1, 1;\n" + StoreR1);
  auto *out = runner.buffer<uint32_t>(96);
  runner.run({1}, {96}, out, out);
  EXPECT_EQ(out[39], 0u);
  EXPECT_EQ(out[40], 1u);
}

TEST(Barrier, ABlockThatIsNoMultipleOfAWarpCompletes) {
  Runner runner(Head + "bar.sync 0; barrier.sync 3, 64; mov.u32 %r1, 1;\n" + StoreR1);
  auto *out = runner.buffer<uint32_t>(64);
  runner.run({1}, {50}, out, out);
  EXPECT_EQ(out[49], 1u);
}

TEST(Barrier, GridSyncByAtomicsEndsOnOneAndTwoCores) {
  // Each block adds to a counter and waits until all have; then reads what its neighbour wrote.
  Runner runner(
      Head +
      "mov.u32 %r5, %ctaid.x; mov.u32 %r6, %nctaid.x; mul.wide.u32 %rd5, %r5, 4; add.u64 %rd6, %rd0, %rd5;\n"
      "setp.ne.u32 %p0, %r0, 0; @%p0 bra SYNC; add.u32 %r7, %r5, 100; st.global.u32 [%rd6], %r7; membar.gl;\n"
      "red.release.gpu.global.add.u32 [%rd2], 1;\n"
      "WAIT: ld.acquire.gpu.global.u32 %r8, [%rd2]; setp.lt.u32 %p1, %r8, %r6; @%p1 bra WAIT;\n"
      "SYNC: bar.sync 0; @%p0 ret; add.u32 %r9, %r5, 1; rem.u32 %r9, %r9, %r6; mul.wide.u32 %rd7, %r9, 4;\n"
      "add.u64 %rd7, %rd0, %rd7; ld.global.u32 %r10, [%rd7]; st.global.u32 [%rd6+400], %r10; ret; }\n");
  for (unsigned cores : {1u, 2u}) {
    auto *out = runner.buffer<uint32_t>(200);
    auto *count = runner.buffer<uint32_t>(1);
    runner.request.cores = cores;
    runner.request.cooperative = true;
    runner.run({100}, {64}, out, count);
    for (unsigned i = 0; i < 100; ++i)
      EXPECT_EQ(out[100 + i], 100 + (i + 1) % 100);
  }
}

// --- mbarrier and asynchronous copies
// --------------------------------------------------------------------------

TEST(Mbarrier, PhasesFlipWhenAllArrived) {
  Runner runner(
      ".shared .align 8 .b64 bar;\n.shared .align 4 .u32 cell[64];\n" + Head +
      "setp.ne.u32 %p0, %r0, 0; @%p0 bra READY; mbarrier.init.shared.b64 [bar], 64;\nREADY: bar.sync 0;\n"
      "mov.u32 %r5, cell; shl.b32 %r6, %r0, 2; add.u32 %r5, %r5, %r6; mov.u32 %r8, 0; mov.u32 %r1, 0;\n"
      "LOOP: add.u32 %r9, %r8, %r0; st.shared.u32 [%r5], %r9; mbarrier.arrive.shared.b64 %rd5, [bar];\n"
      "WAIT: mbarrier.try_wait.shared.b64 %p1, [bar], %rd5; @!%p1 bra WAIT;\n"
      "xor.b32 %r10, %r6, 252; mov.u32 %r11, cell; add.u32 %r10, %r10, %r11; ld.shared.u32 %r12, [%r10]; "
      "add.u32 %r1, %r1, %r12;\n"
      "bar.sync 0; add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 5; @%p2 bra LOOP;\n" +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(64);
  runner.run({1}, {64}, out, out);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], 10 + 5 * (63 - i)) << i;
}

TEST(Mbarrier, BulkCopyCompletesItsBytes) {
  Runner runner(
      ".shared .align 8 .b64 bar;\n.shared .align 128 .b8 tile[256];\n" + Head +
      "setp.ne.u32 %p0, %r0, 0; @%p0 bra READY; mbarrier.init.shared::cta.b64 [bar], 1;\n"
      "fence.mbarrier_init.release.cluster; fence.proxy.async;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 %rd5, [bar], 256; mov.u32 %r5, tile; mov.u32 %r6, bar;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd2], 256, [%r6];\n"
      "READY: bar.sync 0; mov.u32 %r7, 0;\n"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], %r7; @!%p1 bra WAIT;\n"
      "mov.u32 %r8, tile; shl.b32 %r9, %r0, 2; add.u32 %r8, %r8, %r9; ld.shared.u32 %r1, [%r8]; add.u32 %r1, "
      "%r1, 1;\n"
      "st.shared.u32 [%r8], %r1; fence.proxy.async; bar.sync 0; @%p0 ret; mov.u32 %r5, tile;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r5], 256; cp.async.bulk.commit_group;\n"
      "cp.async.bulk.wait_group 0; ret; }\n");
  auto *in = runner.buffer(counting(64));
  auto *out = runner.buffer<uint32_t>(64);
  runner.run({1}, {64}, out, in);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], in[i] + 1);
}

TEST(Mbarrier, UseBeforeInitIsReported) {
  Runner runner(".shared .align 8 .b64 bar;\n" + Head +
                "mbarrier.arrive.shared.b64 %rd5, [bar]; mov.u32 %r1, 0;\n" + StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  LaunchResult result = runner.launch({1}, {32}, out, out);
  ASSERT_EQ(result.status, LaunchStatus::Fault);
  EXPECT_EQ(result.fault->kind, FaultKind::MbarrierMisuse);
}

const std::string CopyAsync = ".shared .align 16 .b8 tile[512];\n" + Head +
                              "mov.u32 %r5, tile; shl.b32 %r6, %r0, 2; add.u32 %r5, %r5, %r6;\n"
                              "cp.async.ca.shared.global [%r5], [%rd3], 4; cp.async.commit_group;\n"
                              "cp.async.ca.shared.global [%r5+256], [%rd3], 4, 0; cp.async.commit_group;\n";

TEST(CopyAsync, GroupsLandWhenWaitedForAndShortSourcesAreZeroFilled) {
  Runner runner(
      CopyAsync +
      "cp.async.wait_group 1; ld.shared.u32 %r1, [%r5]; cp.async.wait_all; ld.shared.u32 %r2, [%r5+256]; "
      "add.u32 %r1, %r1, %r2;\n" +
      StoreR1);
  auto *in = runner.buffer(counting(64));
  auto *out = runner.buffer<uint32_t>(64);
  runner.run({1}, {64}, out, in);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], in[i]);
}

TEST(CopyAsync, WithoutAWaitTheDataIsNotThere) {
  Runner runner(CopyAsync + "ld.shared.u32 %r1, [%r5];\n" + StoreR1);
  auto *in = runner.buffer(counting(64));
  auto *out = runner.buffer<uint32_t>(64, 9);
  runner.run({1}, {64}, out, in);
  EXPECT_EQ(out[5], 0u);
}

// --- misuse
// ----------------------------------------------------------------------------------------------------

LaunchResult misuse(const std::string &body, unsigned threads) {
  Runner runner(Head + body + "\nmov.u32 %r1, 0;\n" + StoreR1);
  auto *out = runner.buffer<uint32_t>(threads);
  return runner.launch({1}, {threads}, out, out);
}

TEST(BarrierMisuse, CountsThatDisagreeAreReportedWithBothLocations) {
  LaunchResult result = misuse("setp.eq.u32 %p0, %r30, 0; @%p0 bar.sync 1, 64; @!%p0 bar.sync 1, 96;", 96);
  ASSERT_EQ(result.status, LaunchStatus::Fault);
  EXPECT_EQ(result.fault->kind, FaultKind::BarrierMisuse);
  EXPECT_NE(result.fault->text.find("barrier 1 is used with 96 threads here, but others wait at it for 64"),
            std::string::npos)
      << result.fault->text;
}

TEST(BarrierMisuse, MoreThreadsThanTheBlockHas) {
  EXPECT_EQ(misuse("bar.sync 1, 128;", 64).fault->text,
            "barrier 1 waits for 128 threads, but the block has only 64");
}

TEST(BarrierMisuse, NoMultipleOfTheWarpSize) {
  EXPECT_EQ(misuse("bar.sync 1, 33;", 64).fault->text,
            "barrier 1 is given 33 threads, which is not a multiple of the warp size");
}

TEST(BarrierMisuse, NumberBeyondTheHardware) {
  EXPECT_EQ(misuse("mov.u32 %r5, 16; bar.sync %r5;", 64).fault->text,
            "barrier 16 does not exist: a block has 16");
}

// --- deadlock
// --------------------------------------------------------------------------------------------------

TEST(Deadlock, WarpsAtDifferentBarriersAreNamedWithWhatTheyWaitFor) {
  LaunchResult result = misuse("setp.eq.u32 %p0, %r30, 0; @%p0 bar.sync 1, 64;\n@!%p0 bar.sync 2, 64;", 64);
  ASSERT_EQ(result.status, LaunchStatus::Deadlock);
  const Fault &fault = *result.fault;
  ASSERT_EQ(fault.waiting.size(), 2u);
  EXPECT_EQ(fault.waiting[0].what, "waits at barrier 1 (32 of 64 threads arrived)");
  EXPECT_EQ(fault.waiting[1].what, "waits at barrier 2 (32 of 64 threads arrived)");
  EXPECT_EQ(fault.waiting[1].ptx.line, fault.waiting[0].ptx.line + 1);
  ASSERT_EQ(fault.details.size(), 2u);
  EXPECT_EQ(fault.details[0],
            "barrier 1: 32 of 64 threads arrived; not: warp 1 waits at barrier 2 (32 of 64 threads arrived)");
}

TEST(Deadlock, ExitedThreadsAreReported) {
  LaunchResult result = misuse("setp.eq.u32 %p0, %r30, 1; @%p0 ret; bar.sync 1, 64;", 96);
  // Warps 0 and 2 make the 64, so this one completes; with 96 it cannot.
  EXPECT_TRUE(result.ok());
  result = misuse("setp.ne.u32 %p0, %r30, 0; @%p0 ret; bar.sync 1, 64;", 96);
  ASSERT_EQ(result.status, LaunchStatus::Deadlock);
  EXPECT_EQ(result.fault->details[0],
            "barrier 1: 32 of 64 threads arrived; not: warp 1 exited, warp 2 exited");
}

TEST(Deadlock, ACountThatIsGivenIsWaitedForEvenIfItIsTheWholeBlock) {
  LaunchResult result = misuse("setp.eq.u32 %p0, %r30, 1; @%p0 ret; bar.sync 1, 96;", 96);
  ASSERT_EQ(result.status, LaunchStatus::Deadlock);
  EXPECT_EQ(result.fault->details[0], "barrier 1: 64 of 96 threads arrived; not: warp 1 exited");
}

TEST(Deadlock, LanesThatWaitForEachOtherInWarpLevelOperations) {
  LaunchResult result = misuse("setp.lt.u32 %p0, %r0, 16; @%p0 bra A; bar.warp.sync 0xffff8000; bra B;\nA: "
                               "bar.warp.sync 0x0001ffff;\nB:",
                               32);
  ASSERT_EQ(result.status, LaunchStatus::Deadlock);
  EXPECT_EQ(result.fault->waiting.size(), 2u);
}

TEST(Deadlock, PollingWhatNoThreadWritesIsNoticed) {
  Runner runner(Head + "WAIT: ld.volatile.global.u32 %r1, [%rd2]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT;\n" +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(64);
  LaunchResult result = runner.launch({3}, {64}, out, out);
  ASSERT_EQ(result.status, LaunchStatus::Deadlock);
  EXPECT_EQ(result.fault->waiting[0].what, "polls memory that no thread changes");
}

TEST(Deadlock, AnMbarrierThatNeverCompletesIsNoticed) {
  Runner runner(
      ".shared .align 8 .b64 bar;\n" + Head +
      "setp.ne.u32 %p0, %r0, 0; @%p0 bra READY; mbarrier.init.shared.b64 [bar], 65;\nREADY: bar.sync 0;\n"
      "mbarrier.arrive.shared.b64 %rd5, [bar];\nWAIT: mbarrier.try_wait.shared.b64 %p1, [bar], %rd5; @!%p1 "
      "bra WAIT;\n"
      "mov.u32 %r1, 0;\n" +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(64);
  EXPECT_EQ(runner.launch({1}, {64}, out, out).status, LaunchStatus::Deadlock);
}

TEST(Timeout, EndlessKernelsStopAfterTheirBudget) {
  Runner runner(Head + "mov.u32 %r1, 0;\nLOOP: add.u32 %r1, %r1, 1; bra LOOP;\n}\n");
  auto *out = runner.buffer<uint32_t>(64);
  runner.request.maxWarpInstructions = 2'000'000;
  LaunchResult result = runner.launch({2}, {64}, out, out);
  EXPECT_EQ(result.status, LaunchStatus::Timeout);
  runner.request.maxWarpInstructions = 0;
  runner.request.maxSeconds = 0.05;
  EXPECT_EQ(runner.launch({2}, {64}, out, out).status, LaunchStatus::Timeout);
}

} // namespace
} // namespace heddle::vm::test
