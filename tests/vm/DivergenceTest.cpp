// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that diverge: all make progress, reconverge at the post-dominator, and obey warp-level masks.
#include "vm/Runner.h"

#include <numeric>

namespace heddle::vm::test {
namespace {

/// %rd1 is `out + 4 * tid`, %r0 the thread's index.
const std::string Head = ".visible .entry k(.param .u64 out, .param .u64 extra) {\n"
                         ".reg .b64 %rd<8>; .reg .b32 %r<32>; .reg .pred %p<8>;\n"
                         "ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [extra];\n"
                         "mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n";
const std::string StoreR1 = "st.global.u32 [%rd1], %r1; ret; }\n";

/// Counts how many instructions ran with a given mask.
class MaskWatcher : public Observer {
public:
  uint32_t interests() const override { return Instructions | Branches; }
  bool oneCore() const override { return true; }
  void instruction(const WarpRef &, SiteRef site, uint32_t mask) override {
    if (site.instruction->op == ptx::Op::St)
      storeMasks.push_back(mask);
  }
  void branch(const WarpRef &, SiteRef, uint32_t mask, uint32_t taken) override {
    divergent += taken != 0 && taken != mask;
  }
  std::vector<uint32_t> storeMasks;
  unsigned divergent = 0;
};

TEST(Divergence, BothSidesRunAndReconvergeAtThePostDominator) {
  Runner runner(Head +
                "and.b32 %r2, %r0, 1; setp.eq.u32 %p0, %r2, 0; @%p0 bra EVEN;\n"
                "mul.lo.u32 %r1, %r0, 10; bra DONE;\n"
                "EVEN: add.u32 %r1, %r0, 1000;\n"
                "DONE: " +
                StoreR1);
  MaskWatcher watcher;
  runner.observer = &watcher;
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i % 2 ? i * 10 : i + 1000);
  EXPECT_EQ(watcher.storeMasks, std::vector<uint32_t>{~0u});
  EXPECT_EQ(watcher.divergent, 1u);
}

TEST(Divergence, LanesWithDifferentTripCountsReconvergeAfterTheLoop) {
  Runner runner(Head +
                "mov.u32 %r1, 0; mov.u32 %r2, %r0;\n"
                "LOOP: setp.eq.u32 %p0, %r2, 0; @%p0 bra DONE;\n"
                "add.u32 %r1, %r1, %r2; sub.u32 %r2, %r2, 1; bra LOOP;\n"
                "DONE: " +
                StoreR1);
  MaskWatcher watcher;
  runner.observer = &watcher;
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i * (i + 1) / 2);
  EXPECT_EQ(watcher.storeMasks, std::vector<uint32_t>{~0u});
}

TEST(Divergence, ContinueWaitsForTheLanesStillInTheBody) {
  // The loop head is itself the post-dominator of the branch; the store in the loop counts rounds.
  Runner runner(
      Head + "mov.u32 %r1, 0; mov.u32 %r2, 4;\n"
             "LOOP: st.global.u32 [%rd1], %r1; sub.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra DONE;\n"
             "and.b32 %r3, %r0, 1; setp.eq.u32 %p0, %r3, 0; @%p0 bra LOOP;\n"
             "add.u32 %r1, %r1, 1; bra LOOP;\n"
             "DONE: ret; }\n");
  MaskWatcher watcher;
  runner.observer = &watcher;
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  EXPECT_EQ(watcher.storeMasks, (std::vector<uint32_t>{~0u, ~0u, ~0u, ~0u}));
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i % 2 ? 3u : 0u);
}

TEST(Divergence, EarlyReturnLeavesTheOthersRunning) {
  Runner runner(Head + "mov.u32 %r1, 7; setp.lt.u32 %p0, %r0, 20; @%p0 ret;\n" + StoreR1);
  auto *out = runner.buffer<uint32_t>(64);
  runner.run({1}, {64}, out, out);
  for (unsigned i = 0; i < 64; ++i)
    EXPECT_EQ(out[i], i < 20 ? 0u : 7u);
}

TEST(Divergence, JumpTablePartsLanesByIndex) {
  Runner runner(
      Head +
      "and.b32 %r2, %r0, 3; ts: .branchtargets L0, L1, L2, L3;\nbrx.idx %r2, ts;\n"
      "L0: mov.u32 %r1, 10; bra DONE; L1: mov.u32 %r1, 11; bra DONE; L2: mov.u32 %r1, 12; bra DONE;\n"
      "L3: mov.u32 %r1, 13;\nDONE: " +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 10 + i % 4);
}

TEST(Divergence, SpinLockThatLanesOfOneWarpFightForEnds) {
  // while (atomicCAS(lock, 0, 1)) ; counter++ ; lock = 0 : the lane that leaves the loop must not wait for
  // the rest.
  Runner runner(
      Head +
      "TRY: atom.global.cas.b32 %r2, [%rd2], 0, 1; setp.ne.u32 %p0, %r2, 0; @%p0 bra TRY;\n"
      "ld.volatile.global.u32 %r3, [%rd2+4]; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd2+4], %r3;\n"
      "membar.gl; atom.global.exch.b32 %r4, [%rd2], 0; mov.u32 %r1, 1;\n" +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(256);
  auto *lock = runner.buffer<uint32_t>(2);
  runner.run({2}, {128}, out, lock);
  EXPECT_EQ(lock[1], 256u);
  EXPECT_EQ(lock[0], 0u);
}

TEST(Divergence, SpinWaitBetweenLanesEnds) {
  // Lane 31 waits for lane 0, which is on the other side of the branch, further on.
  Runner runner(
      Head +
      "setp.eq.u32 %p0, %r0, 0; @%p0 bra SIGNAL;\n"
      "WAIT: ld.volatile.global.u32 %r1, [%rd2]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT; bra DONE;\n"
      "SIGNAL: mov.u32 %r1, 42; st.volatile.global.u32 [%rd2], %r1;\n"
      "DONE: " +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  auto *flag = runner.buffer<uint32_t>(1);
  runner.run({1}, {32}, out, flag);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 42u);
}

TEST(Divergence, SpinWaitThatCountsItsRoundsEndsToo) {
  Runner runner(Head +
                "mov.u32 %r5, 0; setp.eq.u32 %p0, %r0, 0; @%p0 bra SIGNAL;\n"
                "WAIT: add.u32 %r5, %r5, 1; ld.volatile.global.u32 %r1, [%rd2]; setp.eq.u32 %p1, %r1, 0; "
                "@%p1 bra WAIT;\n"
                "bra DONE;\nSIGNAL: mov.u32 %r1, 42; st.volatile.global.u32 [%rd2], %r1;\nDONE: " +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  auto *flag = runner.buffer<uint32_t>(1);
  runner.run({1}, {32}, out, flag);
  EXPECT_EQ(out[31], 42u);
}

TEST(Divergence, SpinWaitBetweenBlocksEndsWhicheverWaits) {
  // Every block but the last waits for the last one's flag: blocks have to share the cores.
  Runner runner(Head +
                "mov.u32 %r5, %ctaid.x; mov.u32 %r6, %nctaid.x; sub.u32 %r6, %r6, 1; setp.eq.u32 %p0, %r5, "
                "%r6; @%p0 bra SIGNAL;\n"
                "WAIT: ld.acquire.gpu.global.u32 %r1, [%rd2]; setp.eq.u32 %p1, %r1, 0; @%p1 bra WAIT; ret;\n"
                "SIGNAL: st.release.gpu.global.u32 [%rd2], 1; ret; }\n");
  for (unsigned cores : {1u, 2u}) {
    runner.request.cores = cores;
    auto *flag = runner.buffer<uint32_t>(1);
    runner.run({40}, {64}, flag, flag);
    EXPECT_EQ(*flag, 1u);
  }
}

// --- warp-level operations
// -------------------------------------------------------------------------------------

TEST(WarpLanes, ShufflesReadTheLaneAskedFor) {
  Runner runner(
      Head +
      "mul.lo.u32 %r2, %r0, 3;\n"
      "shfl.sync.down.b32 %r3|%p0, %r2, 4, 31, -1;\n"
      "shfl.sync.up.b32 %r4, %r2, 1, 0, -1;\n"
      "shfl.sync.bfly.b32 %r5, %r2, 16, 31, -1;\n"
      "shfl.sync.idx.b32 %r6, %r2, 5, 0x1807, -1;\n" // segments of 8 lanes
      "add.u32 %r1, %r3, %r4; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6; @%p0 add.u32 %r1, %r1, 1000;\n" +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i) {
    unsigned down = i + 4 < 32 ? i + 4 : i, up = i ? i - 1 : 0, idx = (i & 24) | 5;
    EXPECT_EQ(out[i], 3 * (down + up + (i ^ 16) + idx) + (i + 4 < 32 ? 1000 : 0)) << i;
  }
}

TEST(WarpLanes, VotesMatchesAndReductionsHearTheirMask) {
  Runner runner(
      Head +
      "setp.lt.u32 %p0, %r0, 10; vote.sync.ballot.b32 %r2, %p0, -1; vote.sync.any.pred %p1, %p0, -1;\n"
      "vote.sync.all.pred %p2, %p0, -1; and.b32 %r3, %r0, 3; match.any.sync.b32 %r4, %r3, -1;\n"
      "redux.sync.add.s32 %r5, %r0, -1; elect.sync %r6|%p3, -1;\n"
      "xor.b32 %r1, %r2, %r4; add.u32 %r1, %r1, %r5; @%p1 add.u32 %r1, %r1, 1; @%p2 add.u32 %r1, %r1, 2;\n"
      "@%p3 add.u32 %r1, %r1, 4;\n" +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], (0x3ffu ^ (0x11111111u << i % 4)) + 496 + 1 + (i == 0 ? 4 : 0)) << i;
}

TEST(WarpLanes, LanesOfDifferentBranchesSynchronizeInOneShuffle) {
  // Legal since Volta: same operation and mask, different places.
  Runner runner(Head +
                "setp.lt.u32 %p0, %r0, 16; @%p0 bra LOW;\n"
                "shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1; add.u32 %r1, %r1, 100; bra DONE;\n"
                "LOW: shfl.sync.bfly.b32 %r1, %r0, 16, 31, -1; add.u32 %r1, %r1, 200;\nDONE: " +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], (i ^ 16) + (i < 16 ? 200 : 100)) << i;
}

TEST(WarpLanes, TilesWithTheirOwnMasksWorkSideBySide) {
  // Mask of the lane's group of eight, each group a different one, in one instruction.
  Runner runner(Head +
                "shr.u32 %r2, %r0, 3; shl.b32 %r2, %r2, 3; mov.u32 %r3, 255; shl.b32 %r3, %r3, %r2;\n"
                "setp.ne.u32 %p0, %r0, %r2; vote.sync.ballot.b32 %r1, %p0, %r3;\n" +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], 0xfeu << (i & 24)) << i;
}

TEST(WarpLanes, WarpSyncWaitsForLanesOnTheirWay) {
  // Lanes below 8 exchange through memory with a bar.warp.sync between, while the others are elsewhere.
  Runner runner(
      Head +
      "setp.ge.u32 %p0, %r0, 8; @%p0 bra OTHER;\n"
      "and.b32 %r2, %r0, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra EVEN; st.global.u32 [%rd1], %r0; bra SYNC;\n"
      "EVEN: add.u32 %r3, %r0, 50; st.global.u32 [%rd1], %r3;\n"
      "SYNC: bar.warp.sync 0xff; xor.b32 %r4, %r0, 1; mul.wide.u32 %rd4, %r4, 4; add.u64 %rd4, %rd0, %rd4;\n"
      "ld.global.u32 %r1, [%rd4]; bar.warp.sync 0xff; bra DONE;\n"
      "OTHER: mov.u32 %r1, 9;\nDONE: " +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i >= 8 ? 9 : i % 2 ? i - 1 + 50 : i + 1) << i;
}

TEST(WarpLanes, ExitedLanesAreNotWaitedFor) {
  Runner runner(Head +
                "setp.ge.u32 %p0, %r0, 24; @%p0 ret; mov.u32 %r2, 1; redux.sync.add.u32 %r1, %r2, -1;\n" +
                StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  EXPECT_EQ(out[0], 24u);
}

TEST(WarpLanes, AMaskThatDoesNotNameItsLaneIsReported) {
  Runner runner(Head + "bar.warp.sync 0x0f; mov.u32 %r1, 1;\n" + StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  LaunchResult result = runner.launch({1}, {32}, out, out);
  ASSERT_EQ(result.status, LaunchStatus::Fault);
  EXPECT_EQ(result.fault->kind, FaultKind::WarpSyncMisuse);
  EXPECT_EQ(result.fault->where.lane, 4u);
}

// --- calls
// -----------------------------------------------------------------------------------------------------

const std::string Fib =
    ".func (.param .b32 r) fib(.param .b32 n) {\n.reg .b32 %r<8>; .reg .pred %p;\n"
    "ld.param.u32 %r0, [n]; setp.gt.u32 %p, %r0, 1; @%p bra MORE; st.param.b32 [r], %r0; ret;\n"
    "MORE: sub.u32 %r1, %r0, 1;\n{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), fib, (a);\n"
    "ld.param.b32 %r2, [b]; }\nsub.u32 %r3, %r0, 2;\n"
    "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r3; call (b), fib, (a);\nld.param.b32 %r4, [b]; }\n"
    "add.u32 %r5, %r2, %r4; st.param.b32 [r], %r5; ret; }\n";

TEST(Calls, RecursionGivesEachLaneItsOwnDepth) {
  Runner runner(
      Fib + Head +
      "and.b32 %r2, %r0, 15; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), fib, (a);\n"
      "ld.param.b32 %r1, [b]; }\n" +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  const unsigned fib[16] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610};
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], fib[i % 16]) << i;
}

TEST(Calls, FunctionPointersFromATable) {
  Runner runner(
      ".func (.param .b32 r) twice(.param .b32 n) { .reg .b32 %r<2>; ld.param.u32 %r0, [n]; shl.b32 %r0, "
      "%r0, 1; "
      "st.param.b32 [r], %r0; ret; }\n"
      ".func (.param .b32 r) plus5(.param .b32 n) { .reg .b32 %r<2>; ld.param.u32 %r0, [n]; add.u32 %r0, "
      "%r0, 5; "
      "st.param.b32 [r], %r0; ret; }\n"
      ".global .align 8 .u64 table[2] = {twice, plus5};\n" +
      Head +
      "and.b32 %r2, %r0, 1; mul.wide.u32 %rd3, %r2, 8; mov.u64 %rd4, table; add.u64 %rd4, %rd4, %rd3;\n"
      "ld.global.u64 %rd5, [%rd4];\n"
      "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0;\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (b), %rd5, (a), proto;\nld.param.b32 "
      "%r1, [b]; }\n" +
      StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  runner.run({1}, {32}, out, out);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(out[i], i % 2 ? i + 5 : i * 2) << i;
}

TEST(Calls, EndlessRecursionIsAStackOverflow) {
  Runner runner(".func f() { call f; ret; }\n" + Head + "call f; mov.u32 %r1, 1;\n" + StoreR1);
  auto *out = runner.buffer<uint32_t>(32);
  LaunchResult result = runner.launch({1}, {32}, out, out);
  ASSERT_EQ(result.status, LaunchStatus::Fault);
  EXPECT_EQ(result.fault->kind, FaultKind::StackOverflow);
}

TEST(Calls, MathFunctionsComeFromOutside) {
  Runner runner(".extern .func (.param .b32 r) __nv_sqrtf(.param .b32 x);\n" + Head +
                "cvt.rn.f32.u32 %r2, %r0; { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call (b), "
                "__nv_sqrtf, (a);\n"
                "ld.param.b32 %r1, [b]; }\n" +
                StoreR1);
  auto *out = runner.buffer<float>(32);
  runner.run({1}, {32}, out, out);
  EXPECT_EQ(out[16], 4.0f);
  EXPECT_EQ(out[25], 5.0f);
}

TEST(Calls, PrintfWritesInBlockOrder) {
  class Listener : public Services {
  public:
    void print(std::string_view more) override { text += more; }
    std::string text;
  } listener;
  Runner runner(
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
      ".global .align 1 .b8 fmt[11] = {98, 37, 100, 58, 37, 46, 49, 102, 10, 0, 0};\n" + // "b%d:%.1f\n"
      Head +
      ".local .align 8 .b8 args[16]; mov.u32 %r2, %ctaid.x; mov.f64 %rd4, 0d3FF8000000000000;\n"
      "setp.ne.u32 %p0, %r0, 0; @%p0 ret;\n"
      "st.local.u32 [args], %r2; st.local.f64 [args+8], %rd4; mov.u64 %rd5, args; cvta.local.u64 %rd5, "
      "%rd5;\n"
      "mov.u64 %rd6, fmt; cvta.global.u64 %rd6, %rd6;\n"
      "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd6; st.param.b64 [a], %rd5;\n"
      "call (r), vprintf, (f, a); }\nret; }\n");
  runner.simulator.setServices(&listener);
  auto *out = runner.buffer<uint32_t>(32);
  runner.request.cores = 2;
  runner.run({3}, {32}, out, out);
  EXPECT_EQ(listener.text, "b0:1.5\nb1:1.5\nb2:1.5\n");
}

} // namespace
} // namespace heddle::vm::test
