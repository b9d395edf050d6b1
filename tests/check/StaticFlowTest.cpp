// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, calls and exits that depend on data, and what is named when synchronization does.
#include "StaticRunner.h"

#include <gmock/gmock.h>

namespace heddle::check::test {
namespace {

using testing::HasSubstr;

/// The one reason why it is undecided.
UndecidedReason only(const StaticResult &result) {
  expectVerdict(Verdict::Undecided, result);
  const std::vector<UndecidedReason> reasons = withoutGlobalReasons(result);
  EXPECT_EQ(reasons.size(), 1u) << story(result);
  return reasons.empty() ? UndecidedReason{} : reasons[0];
}

TEST(StaticUndecided, namesASharedAddressThatIsAParameter) {
  UndecidedReason why = only(check(kernelAround("st.shared.u32 [%r0], 1;")));
  EXPECT_THAT(why.text, HasSubstr("shared address of this store depends on parameter 'n'"));
  EXPECT_EQ(why.hint, "heddle check --static --param n=VALUE may decide it");
  EXPECT_EQ(why.location.file, "test.ptx");
  EXPECT_NE(why.location.line, 0u);
}

TEST(StaticUndecided, namesTheFileThatTheLineTableSays) {
  // Numbers of files are names, not places in a list.
  const std::string text = kernelAround(".loc 2 7 3\n st.shared.u32 [%r0], 1;") +
                           ".file 2 \"second.cu\"\n.file 1 \"first.cu\"\n.file 3 \"third.cu\"\n";
  EXPECT_EQ(only(check(text)).location.str(), "second.cu:7:3");
}

TEST(StaticUndecided, namesALoadFromAnAddressInMemory) {
  UndecidedReason why = only(check(kernelAround("ld.global.u32 %r4, [%rd0]; ld.shared.u32 %r5, [%r4];")));
  EXPECT_THAT(why.text, HasSubstr("shared address of this load depends on data in memory"));
  EXPECT_EQ(why.hint, "");
}

TEST(StaticUndecided, namesAnAtomicAndACopyAtUnknownAddresses) {
  EXPECT_THAT(only(check(kernelAround("red.shared.add.u32 [%r0], 1;"))).text, HasSubstr("of this atomic"));
  EXPECT_THAT(only(check(kernelAround("cp.async.ca.shared.global [%r0], [%rd0], 16;"))).text,
              HasSubstr("of this copy"));
}

TEST(StaticUndecided, namesEveryAddressOnce) {
  StaticResult result = check(kernelAround("st.shared.u32 [%r0], 1; ld.shared.u32 %r4, [%r0];"));
  EXPECT_EQ(result.undecided.size(), 2u) << story(result);
}

TEST(StaticUndecided, namesAGenericAddressThatMayBeShared) {
  EXPECT_THAT(
      only(check(kernelAround("cvt.u64.u32 %rd1, %r3; cvta.shared.u64 %rd2, %rd1; cvt.u64.u32 %rd3, %r0; "
                              "add.u64 %rd2, %rd2, %rd3; st.u32 [%rd2], 1;")))
          .text,
      HasSubstr("shared address"));
}

TEST(StaticUndecided, takesOtherGenericAddressesForGlobalOnes) {
  expectVerdict(Verdict::Holds,
                check(kernelAround("cvt.u64.u32 %rd1, %r3; cvta.shared.u64 %rd2, %rd1; "
                                   "st.u32 [%rd2], 1; add.u64 %rd3, %rd0, 8; st.u32 [%rd3], 1;")));
}

TEST(StaticUndecided, followsASharedAddressThroughMemory) {
  EXPECT_THAT(only(check(kernelAround(
                       "cvt.u64.u32 %rd1, %r3; cvta.shared.u64 %rd2, %rd1; st.global.u64 [%rd0], %rd2; "
                       "ld.global.u64 %rd4, [%rd0+8]; st.u32 [%rd4], 1;")))
                  .text,
              HasSubstr("shared address"));
}

TEST(StaticUndecided, namesABarrierNumberAndACount) {
  EXPECT_THAT(only(check(kernelAround("bar.sync %r0;"))).text,
              HasSubstr("number or the thread count of this barrier"));
  EXPECT_THAT(only(check(kernelAround("bar.sync 1, %r0;"))).text,
              HasSubstr("number or the thread count of this barrier"));
}

TEST(StaticUndecided, namesAnMbarrierOperand) {
  EXPECT_THAT(only(check(kernelAround("mbarrier.init.shared.b64 [s], %r0;"))).text,
              HasSubstr("mbarrier operation"));
  EXPECT_THAT(only(check(kernelAround("mbarrier.init.shared.b64 [%r0], 1;"))).text,
              HasSubstr("mbarrier operation"));
}

TEST(StaticUndecided, namesAMemberMask) {
  EXPECT_THAT(only(check(kernelAround("bar.warp.sync %r0;"))).text, HasSubstr("member mask"));
}

TEST(StaticUndecided, namesABarrierBehindABranch) {
  UndecidedReason why =
      only(check(kernelAround("mov.u32 %r4, %ctaid.x; add.u32 %r4, %r4, %r1; setp.lt.u32 "
                              "%p1, %r4, %r0;\n @%p1 bra A;\n bar.sync 0; A: mov.u32 %r5, 0;")));
  EXPECT_THAT(why.text, HasSubstr("depends on parameter 'n' and blockIdx"));
  EXPECT_EQ(why.hint, "heddle check --static --param n=VALUE --ctaid X,Y,Z may decide it");
  ASSERT_EQ(why.notes.size(), 1u);
  EXPECT_EQ(why.notes[0].location.line, why.location.line + 1);
}

TEST(StaticUndecided, namesAGuardedBarrier) {
  EXPECT_THAT(only(check(kernelAround("setp.lt.u32 %p1, %r1, %r0; @%p1 bar.sync 0;"))).text,
              HasSubstr("whether threads reach this synchronization"));
}

TEST(StaticUndecided, namesAnEarlyExitBetweenAnAccessAndABarrier) {
  EXPECT_THAT(
      only(check(kernelAround("ld.global.u32 %r4, [%rd0]; setp.ge.u32 %p1, %r1, %r0; @%p1 ret; bar.sync 0;")))
          .text,
      HasSubstr("whether threads reach the synchronization that follows"));
  EXPECT_THAT(
      only(check(kernelAround(
               "ld.global.u32 %r4, [%rd0]; setp.ge.u32 %p1, %r1, %r0; @%p1 bra OUT; bar.sync 0; OUT:")))
          .text,
      HasSubstr("synchronization"));
}

TEST(StaticUndecided, namesALoopWithABarrier) {
  UndecidedReason why =
      only(check(kernelAround("add.u32 %r5, %r0, %r1; mov.u32 %r4, 0; L: bar.sync 0; add.u32 "
                              "%r4, %r4, 1; setp.lt.u32 %p1, %r4, %r5; @%p1 bra "
                              "L;")));
  EXPECT_THAT(why.text, HasSubstr("the number of barriers that this loop executes depends on parameter 'n'"));
}

TEST(StaticUndecided, aGivenParameterBringsALoopInside) {
  StaticOptions options;
  options.parameters = {{"0", "5"}};
  StaticResult result =
      check(kernelAround(
                "mov.u32 %r4, 0; L: bar.sync 0; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r0; @%p1 bra L;"),
            options);
  expectVerdict(Verdict::Holds, result);
  EXPECT_EQ(result.barriers, 5u);
}

TEST(StaticUndecided, namesACallThroughAnUnknownPointer) {
  EXPECT_THAT(
      only(check(kernelAround("P: .callprototype ()_ (); ld.global.u64 %rd1, [%rd0]; call %rd1, (), P;")))
          .text,
      HasSubstr("which function is called"));
}

TEST(StaticFlow, skipsARegionThatDoesNotTouchSharedMemory) {
  expectVerdict(Verdict::Holds, check(kernelAround(R"(
  setp.lt.u32 %p1, %r1, %r0;
  @%p1 bra A;
  ld.global.u32 %r4, [%rd0];
  st.global.u32 [%rd0+4], %r4;
A:
  bar.sync 0;
)")));
}

TEST(StaticFlow, aRegionMayChangeTheCarry) {
  const std::string body =
      "ld.global.u32 %r5, [%rd0]; setp.gt.u32 %p1, %r5, %r1; mov.u32 %r7, -1; "
      "add.cc.u32 %r8, %r7, 0; @%p1 bra A; add.cc.u32 %r8, %r7, 1; A: addc.u32 %r9, 0, 0; "
      "shl.b32 %r9, %r9, 2; add.u32 %r10, %r3, %r9; st.shared.u32 [%r10], %r1;";
  expectDecision(Decision::Undecided, Property::SharedRaces, check(kernelAround(body)));
}

TEST(StaticFlow, endsThreadsThatMayLeaveBeforeNoMoreBarriers) {
  expectVerdict(Verdict::Holds, check(kernelAround(R"(
  bar.sync 0;
  setp.ge.u32 %p1, %r1, %r0;
  @%p1 ret;
  st.global.u32 [%rd0], %r1;
)")));
}

TEST(StaticFlow, lanesThatKnowGoOnByThemselves) {
  // Half of the lanes know the condition: for them it is false, and they come to the barrier like the others.
  expectVerdict(Verdict::Holds, check(kernelAround(R"(
  and.b32 %r4, %r1, 1;
  setp.eq.u32 %p2, %r4, 1;
  setp.lt.and.u32 %p1, %r1, %r0, %p2;
  @%p1 bra A;
  st.global.u32 [%rd0], %r1;
A:
  bar.sync 0;
)")));
}

TEST(StaticFlow, anAssertionDoesNotDecideWhatFollows) {
  expectVerdict(Verdict::Holds, check(kernelAround(R"(
  setp.lt.u32 %p1, %r1, %r0;
  @%p1 bra GOOD;
  trap;
GOOD:
  bar.sync 0;
)")));
}

TEST(StaticFlow, callsOfFunctionsThatOnlyComputeMayBeSkipped) {
  expectVerdict(Verdict::Holds,
                check(kernelAround(R"(
  setp.lt.u32 %p1, %r1, %r0;
  @%p1 bra A;
  call.uni work, ();
A:
  bar.sync 0;
)",
                                   ".func work() { .reg .b32 %r<2>; mov.u32 %r0, 1; ret; }\n")));
}

TEST(StaticFlow, callsOfFunctionsThatSynchronizeMayNot) {
  EXPECT_THAT(only(check(kernelAround(R"(
  setp.lt.u32 %p1, %r1, %r0;
  @%p1 bra A;
  call.uni work, ();
A:
)",
                                      ".func work() { bar.sync 0; ret; }\n")))
                  .text,
              HasSubstr("synchronization"));
}

TEST(StaticFlow, anUnknownReturnOfAFunctionGivesUnknownResults) {
  const std::string callee = R"(
.func (.param .b32 out) pick(.param .b32 in) {
  .reg .b32 %r<4>; .reg .pred %p<2>;
  ld.param.u32 %r0, [in];
  st.param.b32 [out], 1;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 ret;
  st.param.b32 [out], 2;
  ret;
}
)";
  EXPECT_THAT(only(check(kernelAround(R"(
  { .param .b32 a; .param .b32 b;
  st.param.b32 [a], %r0;
  call.uni (b), pick, (a);
  ld.param.b32 %r10, [b]; }
  bar.sync %r10;
)",
                                      callee)))
                  .text,
              HasSubstr("number"));
}

TEST(StaticProblems, areReportedAndNotDecided) {
  Diagnostics none;
  ptx::Module module = ptx::parse(kernelAround(""), "test.ptx", none);
  StaticOptions options;
  options.block = {64, 1, 1};
  EXPECT_THAT(textOf(checkStatic(module, "kk", options).problems), HasSubstr("did you mean 'k'"));
  options.parameters = {{"7", "1"}};
  EXPECT_THAT(textOf(checkStatic(module, "k", options).problems), HasSubstr("no parameter '7'"));
  options.parameters = {{"0", "abc"}};
  EXPECT_THAT(textOf(checkStatic(module, "k", options).problems), HasSubstr("not a value for parameter 'n'"));
  options.parameters = {};
  options.block = {2048, 1, 1};
  EXPECT_THAT(textOf(checkStatic(module, "k", options).problems), HasSubstr("threads per block"));
}

} // namespace
} // namespace heddle::check::test
