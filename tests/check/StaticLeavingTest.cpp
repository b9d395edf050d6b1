// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that may leave before the others synchronize: `if (i >= n) return;`. What is proved holds for every n; what is
// wrong among the threads that remain is found.
#include "StaticRunner.h"

namespace heddle::check::test {
namespace {

/// i = blockIdx.x * 64 + threadIdx.x; threads with i >= n leave.
constexpr const char *LeaveBeyondN = R"(
  mov.u32 %r4, %ctaid.x;
  mad.lo.s32 %r5, %r4, 64, %r1;
  setp.ge.s32 %p1, %r5, %r0;
  @%p1 bra END;
)";
/// %rd3 = p + 4 * i
constexpr const char *OwnElement = "mul.wide.s32 %rd2, %r5, 4; add.s64 %rd3, %rd0, %rd2;";
constexpr const char *StoreOwn = " st.global.u32 [%rd3], %r8;";
/// The other thread's cell is in another warp.
constexpr const char *OthersCell = "xor.b32 %r6, %r2, 128; mov.u32 %r7, s; add.u32 %r6, %r6, %r7;";

std::string leavingThen(const std::string &body, const std::string &leave = LeaveBeyondN) {
  return kernelAround(leave + OwnElement + OthersCell + body + "\nEND:");
}

void expectAllUndecided(const StaticResult &result) {
  for (const PropertyVerdict &each : result.properties)
    EXPECT_EQ(nameOf(each.decision), nameOf(Decision::Undecided)) << story(result);
}

TEST(StaticLeaving, aBarrierAmongThoseThatRemainHoldsForEveryN) {
  const StaticResult result = check(leavingThen("st.shared.u32 [%r3], %r0; bar.sync 0; "
                                                "ld.shared.u32 %r8, [%r3]; st.global.u32 [%rd3], %r8;"));
  EXPECT_EQ(result.verdict, Verdict::Holds) << story(result);
  EXPECT_EQ(result.of(Property::BarrierUse).assuming,
            std::vector<std::string>{"threads that have ended count as arrived at __syncthreads()"});
}

TEST(StaticLeaving, aGuardedReturnIsTheSame) {
  const StaticResult result =
      check(leavingThen("st.shared.u32 [%r3], %r0; bar.sync 0; ld.shared.u32 %r8, [%r3];", R"(
  mov.u32 %r4, %ctaid.x;
  mad.lo.s32 %r5, %r4, 64, %r1;
  setp.ge.s32 %p1, %r5, %r0;
  @%p1 ret;
)"));
  EXPECT_EQ(result.verdict, Verdict::Holds) << story(result);
}

TEST(StaticLeaving, soIsAJumpOfThoseThatRemain) {
  const StaticResult result =
      check(leavingThen("st.shared.u32 [%r3], %r0; bar.sync 0; ld.shared.u32 %r8, [%r3];", R"(
  mov.u32 %r4, %ctaid.x;
  mad.lo.s32 %r5, %r4, 64, %r1;
  setp.lt.s32 %p1, %r5, %r0;
  @%p1 bra STAY;
  ret;
STAY:
)"));
  EXPECT_EQ(result.verdict, Verdict::Holds) << story(result);
}

TEST(StaticLeaving, twoReturnsMayFollowEachOther) {
  const StaticResult result =
      check(leavingThen("st.shared.u32 [%r3], %r0; bar.sync 0; ld.shared.u32 %r8, [%r3];",
                        std::string(LeaveBeyondN) + "setp.gt.u32 %p2, %r1, %r0; @%p2 bra END;"));
  EXPECT_EQ(result.verdict, Verdict::Holds) << story(result);
}

TEST(StaticLeaving, whatAThreadThatLeftDidNotWriteIsNotInitialized) {
  // The last block with n = 65 has one thread, which reads what no thread wrote.
  const StaticResult result =
      check(leavingThen("st.shared.u32 [%r3], %r0; bar.sync 0; ld.shared.u32 %r8, [%r6];"));
  expectDecision(Decision::Undecided, Property::Initialization, result);
  for (Property property :
       {Property::SharedRaces, Property::BarrierUse, Property::Deadlock, Property::SharedBounds})
    expectDecision(Decision::Proved, property, result);
}

TEST(StaticLeaving, aRaceOfThreadsThatRemainIsFound) {
  expectDecision(
      Decision::Violated, Property::SharedRaces,
      check(leavingThen(std::string("st.shared.u32 [%r3], %r0; ld.shared.u32 %r8, [%r6]; bar.sync 0;") +
                        StoreOwn)));
  expectDecision(
      Decision::Violated, Property::SharedRaces,
      check(leavingThen(std::string("bar.sync 0; st.shared.u32 [%r3], %r0; ld.shared.u32 %r8, [%r6];") +
                        StoreOwn)));
}

TEST(StaticLeaving, aRaceInGlobalMemoryIsFound) {
  const StaticResult between =
      check(leavingThen("bar.sync 0; st.global.u32 [%rd3], %r1; ld.global.u32 %r8, [%rd3+256];"));
  EXPECT_NE(between.of(Property::GlobalRacesBetweenBlocks).decision, Decision::Proved) << story(between);
  expectDecision(Decision::Violated, Property::GlobalRacesInBlock,
                 check(leavingThen("bar.sync 0; st.global.u32 [%rd3], %r1; ld.global.u32 %r8, [%rd3+128];")));
}

TEST(StaticLeaving, aBarrierThatSomeOfThoseThatRemainPassByIsFound) {
  const StaticResult result = check(leavingThen(
      "st.shared.u32 [%r3], %r0; setp.lt.u32 %p3, %r1, 7; @%p3 bra NO; bar.sync 0; NO: bar.sync 0;"));
  EXPECT_NE(result.of(Property::BarrierUse).decision, Decision::Proved) << story(result);
}

TEST(StaticLeaving, aRaceIsNotCertainIfNotAllMayRemain) {
  // Of two neighbours one leaves, whatever n is.
  const char *const oneOfTwo = R"(
  mov.u32 %r4, %ctaid.x;
  mad.lo.s32 %r5, %r4, 64, %r1;
  shr.u32 %r9, %r1, 5;
  xor.b32 %r9, %r9, %r0;
  and.b32 %r9, %r9, 1;
  setp.eq.s32 %p1, %r9, 1;
  @%p1 bra END;
)";
  expectDecision(
      Decision::Undecided, Property::SharedRaces,
      check(leavingThen(std::string("st.shared.u32 [%r3], %r0; ld.shared.u32 %r8, [%r6]; bar.sync 0;") +
                            StoreOwn,
                        oneOfTwo)));
  // i < n and i > n - 2 leave one thread at most.
  expectDecision(
      Decision::Undecided, Property::SharedRaces,
      check(leavingThen(
          std::string("st.shared.u32 [%r3], %r0; ld.shared.u32 %r8, [%r6]; bar.sync 0;") + StoreOwn,
          std::string(LeaveBeyondN) + "add.s32 %r9, %r0, -1; setp.lt.s32 %p2, %r5, %r9; @%p2 bra END;")));
}

TEST(StaticLeaving, aValueThatAThreadThatLeftDidNotStoreIsNotKnown) {
  // Stored by thread t ^ 32, loaded by t, and used as an address.
  const StaticResult result =
      check(leavingThen("st.shared.u32 [%r3], %r3; bar.sync 0; ld.shared.u32 %r8, [%r6]; bar.sync 0; "
                        "st.shared.u32 [%r8], %r0;"));
  expectDecision(Decision::Undecided, Property::SharedRaces, result);
  expectDecision(Decision::Undecided, Property::SharedBounds, result);
}

TEST(StaticLeaving, aStoreOfWhatIsThereMayChangeItIfWhoStoredItHasLeft) {
  // Thread 0 stores 1; after the barrier thread 1 stores 1 again while thread 2 reads.
  auto again = [](const char *store, const char *load) {
    return fmt::format("setp.eq.u32 %p3, %r1, 0; @!%p3 bra A; {0} A: bar.sync 0; setp.eq.u32 %p4, %r1, 33; "
                       "@!%p4 bra B; {0} B: setp.eq.u32 %p5, %r1, 2; @!%p5 bra C; {1} C:",
                       store, load);
  };
  const StaticResult shared = check(leavingThen(again("st.shared.u32 [s], 1;", "ld.shared.u32 %r8, [s];")));
  EXPECT_NE(shared.of(Property::SharedRaces).decision, Decision::Proved) << story(shared);
  const StaticResult global =
      check(leavingThen(again("st.global.u32 [%rd0], 1;", "ld.global.u32 %r8, [%rd0];")));
  EXPECT_NE(global.of(Property::GlobalRacesInBlock).decision, Decision::Proved) << story(global);
}

TEST(StaticLeaving, aLoopOfTilesMayFollow) {
  const char *const tiles = R"(
  mov.u32 %r10, 0;
L:
  st.shared.u32 [%r3], %r0;
  bar.sync 0;
  ld.shared.u32 %r8, [%r6];
  bar.sync 0;
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p2, %r10, %r0;
  @%p2 bra L;
)";
  const StaticResult result = check(leavingThen(tiles));
  for (Property property :
       {Property::SharedRaces, Property::BarrierUse, Property::Deadlock, Property::SharedBounds})
    expectDecision(Decision::Proved, property, result);
  expectDecision(Decision::Undecided, Property::Initialization, result);
}

TEST(StaticLeaving, whoAccessedMemoryOrCameToABarrierIsUndecided) {
  const std::string rest = "bar.sync 0; ld.shared.u32 %r8, [%r3];";
  for (const char *before : {"ld.global.u32 %r9, [%rd0];", "st.shared.u32 [%r3], %r0;", "bar.sync 0;"})
    expectAllUndecided(check(leavingThen(rest, std::string(before) + LeaveBeyondN)));
}

TEST(StaticLeaving, lanesThatSynchronizeByNameAreUndecided) {
  for (const char *sync : {"bar.warp.sync 0xffffffff;", "bar.sync 1, 64;", "bar.arrive 1, 64;",
                           "vote.sync.any.pred %p4, %p3, 0xffffffff;", "activemask.b32 %r9;",
                           "shfl.sync.idx.b32 %r9, %r1, 0, 31, 0xffffffff;", "cp.async.wait_all;"})
    expectAllUndecided(check(leavingThen(std::string("setp.eq.u32 %p3, %r1, 3; ") + sync + " bar.sync 0;")));
}

TEST(StaticLeaving, whoWaitsForThemByLookingAtMemoryIsUndecided) {
  expectAllUndecided(check(leavingThen(
      "st.shared.u32 [%r3], %r0; bar.sync 0; W: ld.volatile.shared.u32 %r8, [%r6]; setp.eq.u32 %p3, %r8, 0; "
      "@%p3 bra W;")));
}

TEST(StaticLeaving, leavingALoopWithABarrierIsUndecided) {
  expectAllUndecided(check(kernelAround(R"(
  mov.u32 %r10, 0;
L:
  add.u32 %r10, %r10, 1;
  add.u32 %r5, %r10, %r1;
  setp.ge.s32 %p1, %r5, %r0;
  @%p1 bra END;
  bar.sync 0;
  setp.lt.u32 %p2, %r10, 4;
  @%p2 bra L;
END:
)")));
}

} // namespace
} // namespace heddle::check::test
