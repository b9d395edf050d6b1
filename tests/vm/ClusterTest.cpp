// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clusters of blocks: positions, the cluster's barrier, shared memory and mbarriers of other blocks, and what
// misuse reports.
#include "vm/Runner.h"

namespace heddle::vm::test {
namespace {

/// %r0 thread, %r1 block, %r2 rank in the cluster, %rd0 out + 4 * (thread + block * threads per block).
const std::string Head =
    ".visible .entry k(.param .u64 out) {\n"
    ".reg .b64 %rd<16>; .reg .b32 %r<32>; .reg .pred %p<8>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %cluster_ctarank;\n"
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r1, %r3, %r0; mul.wide.u32 %rd1, %r4, 4; add.u64 %rd0, %rd0, "
    "%rd1;\n";
const std::string Store = "st.global.u32 [%rd0], %r10; ret; }\n";
const std::string Sync = "barrier.cluster.arrive; barrier.cluster.wait;\n";

/// Each thread writes to `cell` of its block, and %r6 is the address of it in the other block of a pair.
const std::string Pair = ".shared .align 4 .u32 cell[64];\n" + Head +
                         "mov.u32 %r5, cell; shl.b32 %r6, %r0, 2; add.u32 %r5, %r5, %r6;\n"
                         "mul.lo.u32 %r7, %r1, 100; add.u32 %r7, %r7, %r0; st.shared.u32 [%r5], %r7;\n"
                         "xor.b32 %r8, %r2, 1; mapa.shared::cluster.u32 %r6, %r5, %r8;\n";

TEST(Clusters, SharedMemoryOfTheOtherBlockIsSeenAfterTheBarrier) {
  Runner runner(Pair + Sync + "ld.shared::cluster.u32 %r10, [%r6];\n" + Sync + Store);
  auto *out = runner.buffer<uint32_t>(32 * 8);
  runner.request.cluster = {2};
  for (unsigned cores : {1u, 2u}) {
    runner.request.cores = cores;
    std::fill_n(out, 32 * 8, 0u);
    runner.run({8}, {32}, out);
    for (unsigned i = 0; i < 32 * 8; ++i)
      EXPECT_EQ(out[i], (i / 32 ^ 1) * 100 + i % 32) << i << " on " << cores;
  }
}

TEST(Clusters, TheKernelsOwnClusterHoldsWhereTheLaunchNamesNone) {
  Runner runner(
      ".visible .entry k(.param .u64 out) .explicitcluster .reqnctapercluster 2, 1, 1 {\n"
      ".reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .pred %p<2>;\n"
      "ld.param.u64 %rd0, [out]; mov.u32 %r0, %ctaid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, "
      "%rd1; mov.u32 %r1, %cluster_nctarank; mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %clusterid.x;\n"
      "mov.u32 %r4, %nclusterid.x; mad.lo.u32 %r1, %r1, 10, %r2; mad.lo.u32 %r1, %r1, 10, %r3;\n"
      "mad.lo.u32 %r1, %r1, 10, %r4; st.global.u32 [%rd0], %r1; ret; }\n");
  auto *out = runner.buffer<uint32_t>(6);
  runner.run({6}, {1}, out);
  for (unsigned block = 0; block < 6; ++block)
    EXPECT_EQ(out[block], 2003 + block % 2 * 100 + block / 2 * 10) << block;
  runner.request.cluster = {3};
  EXPECT_NE(runner.launch({6}, {1}, out).refusal.find(".reqnctapercluster"), std::string::npos);
}

TEST(Clusters, AGridThatIsNoWholeNumberOfClustersIsRefused) {
  Runner runner(Head + "mov.u32 %r10, 0;\n" + Store);
  auto *out = runner.buffer<uint32_t>(8);
  runner.request.cluster = {2};
  EXPECT_EQ(runner.launch({3}, {1}, out).refusal,
            "a grid of (3, 1, 1) blocks is not an integer number of clusters of (2, 1, 1)");
  runner.request.cluster = {32};
  EXPECT_EQ(runner.launch({32}, {1}, out).refusal, "32 blocks per cluster exceed the limit of 16");
}

TEST(Clusters, ExitedThreadsAreNotWaitedFor) {
  Runner runner(Pair + Sync + "setp.eq.u32 %p0, %r2, 1; @%p0 ret;\n" + Sync + "mov.u32 %r10, 7;\n" + Store);
  auto *out = runner.buffer<uint32_t>(64);
  runner.request.cluster = {2};
  runner.run({2}, {32}, out);
  EXPECT_EQ(out[0], 7u);
  EXPECT_EQ(out[32], 0u);
}

TEST(Clusters, BlocksHandOverThroughARemoteMbarrier) {
  // Block 1 waits at its mbarrier until block 0 has written its cells and arrived 32 times.
  Runner runner(".shared .align 8 .b64 bar;\n" + Pair.substr(0, Pair.find("mul.lo")) +
                "setp.ne.u32 %p0, %r0, 0; @%p0 bra READY; mbarrier.init.shared.b64 [bar], 32;\nREADY:\n" +
                Sync +
                "mov.u32 %r10, 0; setp.eq.u32 %p1, %r2, 1; @%p1 bra WAIT;\n"
                "mov.u32 %r8, 1; mapa.shared::cluster.u32 %r6, %r5, %r8; st.shared::cluster.u32 [%r6], 5;\n"
                "mov.u32 %r9, bar; mapa.shared::cluster.u32 %r9, %r9, %r8;\n"
                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r9]; bra DONE;\n"
                "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra WAIT;\n"
                "ld.shared.u32 %r10, [%r5];\nDONE:\n" +
                Sync + Store);
  auto *out = runner.buffer<uint32_t>(64);
  runner.request.cluster = {2};
  runner.run({2}, {32}, out);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i < 32 ? 0u : 5u) << i;
}

TEST(Clusters, ABulkCopyLandsInTheOtherBlock) {
  Runner runner(
      ".shared .align 8 .b64 bar;\n.shared .align 128 .b8 tile[128];\n" + Head +
      "mov.u32 %r5, tile; shl.b32 %r6, %r0, 2; add.u32 %r6, %r5, %r6; add.u32 %r7, %r0, 40;\n"
      "st.shared.u32 [%r6], %r7; mov.u32 %r9, bar; mov.u32 %r8, 1;\n"
      "setp.ne.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r2, 1; @%p0 bra READY;\n"
      "mbarrier.init.shared.b64 [bar], 1; @!%p1 bra READY;\n"
      "st.shared.u32 [tile], 0; mbarrier.arrive.expect_tx.shared::cta.b64 %rd5, [bar], 128;\nREADY:\n" +
      Sync +
      "mov.u32 %r10, 0; @%p1 bra WAIT; @%p0 bra DONE;\n"
      "mapa.shared::cluster.u32 %r11, %r5, %r8; mapa.shared::cluster.u32 %r12, %r9, %r8;\n"
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r11], [%r5], 128, "
      "[%r12]; bra DONE;\n"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra WAIT;\n"
      "ld.shared.u32 %r10, [%r6];\nDONE:\n" +
      Sync + Store);
  auto *out = runner.buffer<uint32_t>(64);
  runner.request.cluster = {2};
  runner.run({2}, {32}, out);
  for (unsigned i = 32; i < 64; ++i)
    EXPECT_EQ(out[i], i - 32 + 40) << i;
}

TEST(Clusters, AGenericAddressKnowsItsBlock) {
  // 1: shared at all, 2: the block's own, 100 * rank
  Runner runner(".shared .align 4 .u32 cell;\n" + Head +
                "mov.u32 %r5, cell; cvt.u64.u32 %rd4, %r5; cvta.shared.u64 %rd4, %rd4; xor.b32 %r8, %r2, 1;\n"
                "mapa.u64 %rd5, %rd4, %r8; getctarank.u64 %r10, %rd5; mul.lo.u32 %r10, %r10, 100;\n"
                "isspacep.shared::cluster %p0, %rd5; @%p0 add.u32 %r10, %r10, 1;\n"
                "isspacep.shared::cta %p1, %rd5; @%p1 add.u32 %r10, %r10, 2;\n"
                "isspacep.shared::cta %p1, %rd4; @%p1 add.u32 %r10, %r10, 4;\n" +
                Store);
  auto *out = runner.buffer<uint32_t>(2);
  runner.request.cluster = {2};
  runner.run({2}, {1}, out);
  EXPECT_EQ(out[0], 105u);
  EXPECT_EQ(out[1], 5u);
}

TEST(Clusters, ABlockThatTheClusterHasNotIsReported) {
  Runner runner(Pair + "mov.u32 %r8, 2; mapa.shared::cluster.u32 %r10, %r5, %r8;\n" + Store);
  runner.request.cluster = {2};
  LaunchResult result = runner.launch({2}, {32}, runner.buffer<uint32_t>(64));
  ASSERT_EQ(result.status, LaunchStatus::Fault);
  EXPECT_EQ(result.fault->text, "mapa asks for block 2 of a cluster of 2");
}

TEST(Clusters, SharedMemoryOfABlockThatHasExitedIsGone) {
  Runner runner(Pair + "setp.eq.u32 %p0, %r2, 0; @%p0 ret;\n" + "ld.shared::cluster.u32 %r10, [%r6];\n" +
                Store);
  runner.request.cluster = {2};
  LaunchResult result = runner.launch({2}, {32}, runner.buffer<uint32_t>(64));
  ASSERT_EQ(result.status, LaunchStatus::Fault);
  EXPECT_EQ(result.fault->kind, FaultKind::OutOfBounds);
  EXPECT_NE(Runner::story(*result.fault).find("block 0 of the cluster, all of whose threads have exited"),
            std::string::npos)
      << Runner::story(*result.fault);
}

TEST(Clusters, ABlockThatNeverComesToTheBarrierIsADeadlock) {
  // Half of block 1 waits at a named barrier that nobody else reaches.
  Runner runner(Pair +
                "setp.eq.u32 %p0, %r2, 0; @%p0 bra SYNC; setp.lt.u32 %p1, %r0, 32; @%p1 bar.sync 1, 64;\n"
                "SYNC:\n" +
                Sync + "mov.u32 %r10, 0;\n" + Store);
  runner.request.cluster = {2};
  LaunchResult result = runner.launch({2}, {64}, runner.buffer<uint32_t>(128));
  ASSERT_EQ(result.status, LaunchStatus::Deadlock) << Runner::story(*result.fault);
  EXPECT_NE(Runner::story(*result.fault).find("waits at barrier 1 (32 of 64 threads arrived)"),
            std::string::npos)
      << Runner::story(*result.fault);
}

TEST(Clusters, OrderedAtomicsAreInOrderOfClustersWhateverTheNumberOfCores) {
  const std::string body =
      Pair + Sync + "sub.u64 %rd6, %rd0, %rd1; atom.global.exch.b32 %r10, [%rd6+1024], %r4;\n" + Sync + Store;
  std::vector<uint32_t> first;
  for (unsigned round = 0; round < 60; ++round) { // the order changed once in a while on 16 cores
    Runner runner(body);
    auto *out = runner.buffer<uint32_t>(512);
    runner.request.cluster = {2};
    runner.request.cores = 1 + round % 4;
    runner.run({8}, {32}, out);
    std::vector<uint32_t> now(out, out + 256);
    if (round == 0)
      first = now;
    EXPECT_EQ(now, first);
  }
}

} // namespace
} // namespace heddle::vm::test
