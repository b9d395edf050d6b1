// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and loops around synchronization that data decides, and that all threads take alike.
#include "StaticRunner.h"

namespace heddle::check::test {
namespace {

/// Rounds of a tile: `head` before the barrier, `tail` after it, n rounds or, where `guarded`, none at all.
std::string rounds(const char *head, const char *tail, const char *step = "add.u32 %r4, %r4, 1;") {
  return kernelAround(fmt::format(R"(
  setp.eq.u32 %p1, %r0, 0;
  @%p1 bra END;
  mov.u32 %r4, 0;
L:
  {}
  bar.sync 0;
  {}
  {}
  setp.lt.u32 %p2, %r4, %r0;
  @%p2 bra L;
END:
)",
                                  head, tail, step));
}

constexpr const char *Fill = "ld.global.u32 %r5, [%rd0]; st.shared.u32 [%r3], %r5;";
constexpr const char *Use =
    "xor.b32 %r6, %r2, 128; mov.u32 %r7, s; add.u32 %r6, %r6, %r7; ld.shared.u32 %r8, [%r6];";

TEST(StaticAgree, aLoopOfTilesHoldsForAnyNumberOfRounds) {
  expectVerdict(Verdict::Holds, check(rounds(Fill, (std::string(Use) + " bar.sync 0;").c_str())));
}
TEST(StaticAgree, aRaceBetweenRoundsIsFound) { expectVerdict(Verdict::Fails, check(rounds(Fill, Use))); }
TEST(StaticAgree, aBarrierThatDependsOnTheRoundIsNotCertain) {
  // The barrier at a round's end is there in the first two rounds only: a race, if there are ever more.
  expectVerdict(
      Verdict::Undecided,
      check(rounds(Fill,
                   (std::string(Use) + " setp.gt.u32 %p3, %r4, 1; @%p3 bra NO; bar.sync 0; NO:").c_str())));
}
TEST(StaticAgree, aSharedAddressThatMovesWithTheRoundIsUndecided) {
  expectVerdict(
      Verdict::Undecided,
      check(rounds("shl.b32 %r9, %r4, 8; add.u32 %r9, %r9, %r3; st.shared.u32 [%r9], %r1;", "bar.sync 0;")));
}
TEST(StaticAgree, aGlobalAddressMayMove) {
  expectVerdict(
      Verdict::Holds,
      check(rounds("mul.wide.u32 %rd1, %r4, 64; add.u64 %rd2, %rd0, %rd1; ld.global.u32 %r5, [%rd2]; "
                   "st.shared.u32 [%r3], %r5;",
                   (std::string(Use) + " bar.sync 0;").c_str())));
}
TEST(StaticAgree, aNamedBarrierInTheLoopIsUndecided) {
  expectVerdict(Verdict::Undecided, check(rounds(Fill, "bar.sync 1, 64;")));
}
TEST(StaticAgree, oneLoopInTheOtherIsUndecided) {
  expectVerdict(Verdict::Undecided,
                check(rounds("mov.u32 %r10, 0; M: bar.sync 0; add.u32 %r10, %r10, 1; setp.lt.u32 %p4, "
                             "%r10, %r0; @%p4 bra M;",
                             "")));
}
TEST(StaticAgree, oneLoopBehindTheOtherIsFine) {
  expectVerdict(Verdict::Holds, check(kernelAround(R"(
  mov.u32 %r4, 0;
L: bar.sync 0;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, %r0;
  @%p1 bra L;
  mov.u32 %r4, 0;
M: bar.sync 0;
  add.u32 %r4, %r4, 2;
  setp.lt.u32 %p1, %r4, %r0;
  @%p1 bra M;
)")));
}
TEST(StaticAgree, bothWaysOfABranchAreTried) {
  auto body = [](const char *one, const char *other) {
    return kernelAround(fmt::format(R"(
  st.shared.u32 [%r3], %r0;
  mov.u32 %r4, %ctaid.x;
  setp.lt.u32 %p1, %r4, %r0;
  @%p1 bra A;
  {}
  bra B;
A:
  {}
B:
  xor.b32 %r6, %r2, 128;
  mov.u32 %r7, s;
  add.u32 %r6, %r6, %r7;
  ld.shared.u32 %r8, [%r6];
)",
                                    one, other));
  };
  expectVerdict(Verdict::Holds, check(body("bar.sync 0;", "bar.sync 1;")));
  expectVerdict(Verdict::Fails, check(body("bar.sync 0;", "mov.u32 %r9, 0;")));
  expectVerdict(Verdict::Fails, check(body("mov.u32 %r9, 0;", "bar.sync 0;")));
}
TEST(StaticAgree, aBlockThatLeavesAsAWholeIsFine) {
  expectVerdict(
      Verdict::Holds,
      check(kernelAround("mov.u32 %r4, %ctaid.x; setp.ge.u32 %p1, %r4, %r0; @%p1 ret; bar.sync 0;")));
}
TEST(StaticAgree, whatWasChosenOnceStaysSo) {
  // The second branch tests the same predicate: the ways that mix the two do not exist.
  expectVerdict(Verdict::Holds, check(kernelAround(R"(
  setp.eq.u32 %p1, %r0, 0;
  @%p1 bra A;
  st.shared.u32 [%r3], 1;
  bar.sync 0;
A:
  @%p1 bra B;
  xor.b32 %r6, %r2, 128;
  mov.u32 %r7, s;
  add.u32 %r6, %r6, %r7;
  ld.shared.u32 %r8, [%r6];
  bar.sync 0;
B:
)")));
}
TEST(StaticAgree, threadsThatDifferDoNotAgree) {
  expectVerdict(Verdict::Undecided,
                check(kernelAround("add.u32 %r4, %r0, %r1; setp.lt.u32 %p1, %r4, 9; @%p1 bra A; bar.sync "
                                   "0; A: mov.u32 %r5, 0;")));
  expectVerdict(
      Verdict::Undecided,
      check(kernelAround("ld.global.u32 %r4, [%rd0]; setp.lt.u32 %p1, %r4, 9; @%p1 bra A; bar.sync 0; A:")));
  // What was written where only some threads come differs, whatever it was.
  expectVerdict(Verdict::Undecided, check(kernelAround(R"(
  mov.u32 %r4, %r0;
  setp.ge.u32 %p1, %r1, 32;
  @%p1 bra A;
  add.u32 %r4, %r4, 1;
A:
  setp.lt.u32 %p2, %r4, 9;
  @%p2 bra B;
  bar.sync 0;
B:
  mov.u32 %r5, 0;
)")));
}

} // namespace
} // namespace heddle::check::test
