// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that store the same to the same address do not race, also where it depends on data whether they store at all.
#include "StaticRunner.h"

namespace heddle::check::test {
namespace {

/// %p1: data, each thread its own; %p2: another; %r5: data
std::string withData(std::string_view body, std::string_view before = "") {
  return kernelAround(std::string(before) +
                      "mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %rd0, %rd1; ld.global.u32 %r5, [%rd2]; "
                      "setp.gt.u32 %p1, %r5, %r0; setp.gt.u32 %p2, %r5, 7; mov.u32 %r6, s;\n" +
                      std::string(body));
}

void expectShared(Decision expected, std::string_view body, std::string_view before = "") {
  SCOPED_TRACE(body);
  expectDecision(expected, Property::SharedRaces, check(withData(body, before)));
}

TEST(StaticEqualValues, aConstantThatSomeThreadsStoreIsNoRace) {
  expectShared(Decision::Proved, "@%p1 st.shared.u32 [%r6], 0; bar.sync 0;");
  expectShared(Decision::Proved, "@%p1 bra A; st.shared.u32 [%r6], 5; A: bar.sync 0;");
  expectShared(Decision::Proved, "@%p1 st.shared.u32 [%r6], 5; @%p2 st.shared.u32 [%r6], 5; bar.sync 0;");
  expectShared(Decision::Proved, "@%p1 st.shared.u32 [%r6], 5; st.shared.u32 [%r6], 5; bar.sync 0;");
  expectShared(Decision::Proved, "mov.u32 %r7, 3; @%p1 st.shared.v2.u32 [%r6], {%r7, %r7}; bar.sync 0;");
  expectShared(Decision::Proved, "mov.u16 %h1, 3; @%p1 st.shared.u8 [%r6+1], %h1; bar.sync 0;");
}

TEST(StaticEqualValues, otherValuesMayRace) {
  expectShared(Decision::Undecided, "@%p1 st.shared.u32 [%r6], %r1; bar.sync 0;");
  expectShared(Decision::Undecided, "@%p1 st.shared.u32 [%r6], %r5; bar.sync 0;");
  expectShared(Decision::Undecided, "@%p1 st.shared.u32 [%r6], 5; @%p2 st.shared.u32 [%r6], 6; bar.sync 0;");
  expectShared(Decision::Undecided, "@%p1 st.shared.u32 [%r6], 5; @!%p1 st.shared.u32 [%r6], 6; bar.sync 0;");
  expectShared(Decision::Undecided, "shr.u32 %r7, %r1, 5; @%p1 st.shared.u32 [%r6], %r7; bar.sync 0;");
  // Another width at the same address, and an atomic in between.
  expectShared(Decision::Undecided,
               "mov.u16 %h1, 1; @%p1 st.shared.u32 [%r6], 5; @%p2 st.shared.u8 [%r6], %h1; bar.sync 0;");
  expectShared(
      Decision::Undecided,
      "@%p1 st.shared.u32 [%r6], 5; red.shared.add.u32 [%r6], 1; @%p2 st.shared.u32 [%r6], 5; bar.sync 0;");
  expectShared(Decision::Violated, "st.shared.u32 [%r6], %r1; bar.sync 0;");
}

// Thread 3 stores 0, ordered before what its own warp stores and not before what the other one does.
TEST(StaticEqualValues, anEarlierStoreOfAnotherValueIsNotHidden) {
  const std::string perhaps = "vote.sync.any.pred %p3, %p2, -1; @%p3 bra A; ";
  expectShared(Decision::Undecided, "st.shared.u32 [%r3], 0; " + perhaps + "st.shared.u32 [%r6+12], 1; A:");
  EXPECT_NE(check(withData("st.shared.u32 [%r3], 0; bar.warp.sync -1; st.shared.u32 [%r6+12], 1;"))
                .of(Property::SharedRaces)
                .decision,
            Decision::Proved);
  const StaticResult global =
      check(withData("st.global.u32 [%rd2+4096], 0; " + perhaps + "st.global.u32 [%rd0+4108], 1; A:"));
  expectDecision(Decision::Undecided, Property::GlobalRacesInBlock, global);
}

TEST(StaticEqualValues, aBarrierOrdersEarlierStores) {
  expectShared(Decision::Proved,
               "st.shared.u32 [%r3], 0; bar.sync 0; @%p1 st.shared.u32 [%r6+12], 1; bar.sync 0;");
  expectShared(Decision::Proved, "setp.eq.u32 %p4, %r1, 0; @%p4 st.shared.u32 [%r6], 0; bar.sync 0; "
                                 "@%p1 st.shared.u32 [%r6], 1; bar.sync 0; ld.shared.u32 %r7, [%r6];");
  expectDecision(
      Decision::Proved, Property::GlobalRacesInBlock,
      check(withData("st.global.u32 [%rd2+4096], 0; bar.sync 0; @%p1 st.global.u32 [%rd0+4108], 1;")));
  // Threads that have ended do not come to it.
  EXPECT_NE(
      check(withData("setp.ge.u32 %p4, %r1, 32; @!%p4 bra A; st.shared.u32 [%r6], 0; exit; A: bar.sync 0; "
                     "@%p1 st.shared.u32 [%r6], 1;"))
          .of(Property::SharedRaces)
          .decision,
      Decision::Proved);
}

TEST(StaticEqualValues, aReadIsNotAStore) {
  expectShared(Decision::Undecided, "@%p1 st.shared.u32 [%r6], 0; ld.shared.u32 %r7, [%r6]; bar.sync 0;");
  // After the barrier the store may be the first, and the read is not ordered after it.
  expectShared(Decision::Undecided, "@%p1 st.shared.u32 [%r6], 0; bar.sync 0; @%p2 st.shared.u32 [%r6], 0; "
                                    "ld.shared.u32 %r7, [%r6]; bar.sync 0;");
}

// A round of a loop represents all later ones: what the first one stores is not what the second one does.
TEST(StaticEqualValues, roundsOfALoopMayStoreDifferentValues) {
  const std::string loop = R"(
  mov.u32 %r8, 0; setp.eq.u32 %p3, %r1, 0; setp.eq.u32 %p4, %r1, 32;
LOOP:
  setp.ge.u32 %p5, %r8, %r0; @%p5 bra END;
  and.pred %p6, %p3, %p1; and.pred %p7, %p4, %p1;
  @%p6 st.shared.u32 [%r6], 0;
  bar.sync 0;
  @%p7 st.shared.u32 [%r6], VALUE;
  add.u32 %r8, %r8, 1; bra LOOP;
END:)";
  auto with = [&](const char *value) {
    std::string text = loop;
    return text.replace(text.find("VALUE"), 5, value);
  };
  expectShared(Decision::Undecided, with("%r8"));
  expectShared(Decision::Undecided, with("1"));
}

// The same without barriers: each thread counts in its own slot, and stores what it has counted.
TEST(StaticEqualValues, iterationsMayStoreWhatEarlierOnesLeft) {
  auto loop = [](const std::string &store) {
    return "st.shared.u32 [%r3+64], 0; bar.sync 0; mov.u32 %r8, 0;\nLOOP: setp.ge.u32 %p5, %r8, %r0; @%p5 "
           "bra "
           "END; ld.shared.u32 %r7, [%r3+64]; " +
           store + " add.u32 %r7, %r7, 1; st.shared.u32 [%r3+64], %r7; add.u32 %r8, %r8, 1; bra LOOP;\nEND:";
  };
  expectShared(Decision::Undecided, loop("st.shared.u32 [%r6], %r7;"));
  expectDecision(Decision::Undecided, Property::GlobalRacesInBlock,
                 check(withData(loop("st.global.u32 [%rd0], %r7;"))));
  const StaticResult address =
      check(withData(loop("shl.b32 %r9, %r7, 2; add.u32 %r9, %r9, %r3; st.shared.u32 [%r9+2048], %r1;")));
  for (Property each : {Property::SharedRaces, Property::SharedBounds})
    expectDecision(Decision::Undecided, each, address);
  // What no iteration stores stays known.
  expectShared(Decision::Proved,
               "st.shared.u32 [%r3+64], 0; bar.sync 0; mov.u32 %r8, 0;\n"
               "LOOP: setp.ge.u32 %p5, %r8, %r0; @%p5 bra END; ld.shared.u32 %r7, [%r3+64]; "
               "add.u32 %r8, %r8, 1; bra LOOP;\n"
               "END: ld.shared.u32 %r7, [%r3+64]; add.u32 %r9, %r7, %r3; "
               "st.shared.u32 [%r9+2048], %r1;");
}

TEST(StaticEqualValues, threadsThatMayHaveLeftStoreNothingElse) {
  const std::string leave = "setp.ge.u32 %p3, %r1, %r0; @%p3 ret;\n";
  expectShared(Decision::Proved, "st.shared.u32 [%r6], 0; bar.sync 0;", leave);
  expectShared(Decision::Proved, "@%p1 st.shared.u32 [%r6], 0; bar.sync 0;", leave);
  expectShared(Decision::Undecided, "st.shared.u32 [%r6], %r1; bar.sync 0;", leave);
  expectShared(Decision::Undecided, "@%p1 st.shared.u32 [%r6], %r1; bar.sync 0;", leave);
  const StaticResult global = check(kernelAround(leave + "st.global.u32 [%rd0], 1; bar.sync 0;"));
  expectDecision(Decision::Proved, Property::GlobalRacesInBlock, global);
  EXPECT_NE(check(kernelAround(leave + "st.global.u32 [%rd0], %r1; bar.sync 0;"))
                .of(Property::GlobalRacesInBlock)
                .decision,
            Decision::Proved);
}

} // namespace
} // namespace heddle::check::test
