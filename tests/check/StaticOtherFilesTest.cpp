// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that use what another file defines, or what the simulator does not support: nothing is decided about them, and
// about others all that can be.
#include "StaticRunner.h"

#include <gmock/gmock.h>

namespace heddle::check::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

void expectUndecided(const StaticResult &result, const std::string &why) {
  EXPECT_TRUE(result.problems.empty()) << textOf(result.problems);
  for (const PropertyVerdict &each : result.properties) {
    EXPECT_EQ(nameOf(each.decision), nameOf(Decision::Undecided)) << nameOf(each.property);
    EXPECT_THAT(each.why, HasSubstr(why));
  }
  ASSERT_EQ(result.undecided.size(), 1u) << story(result);
  EXPECT_THAT(result.undecided.front().text, HasSubstr(why));
  EXPECT_TRUE(result.undecided.front().location.isKnown());
}

constexpr const char *Twice = ".extern .func (.param .b32 r) _Z5twicei (.param .b32 a);\n";
constexpr const char *CallTwice = "{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 r; call.uni (r), "
                                  "_Z5twicei, (a); ld.param.b32 %r4, [r]; }";

TEST(StaticOtherFiles, aCallOfAFunctionOfAnotherFileIsUndecided) {
  expectUndecided(check(kernelAround(CallTwice, Twice)),
                  "calls 'twice(int)', which this file does not define");
}

TEST(StaticOtherFiles, anotherKernelOfTheFileIsDecided) {
  const std::string other = ".visible .entry other() { .reg .b32 %r<9>; mov.u32 %r1, %tid.x; ret; }\n";
  Diagnostics problems;
  const ptx::Module module = ptx::parse(kernelAround(CallTwice, Twice) + other, "test.ptx", problems);
  ASSERT_TRUE(problems.empty()) << textOf(problems);
  StaticOptions options;
  options.block = {64, 1, 1};
  expectVerdict(Verdict::Holds, checkStatic(module, "other", options));
  EXPECT_EQ(checkStatic(module, "k", options).verdict, Verdict::Undecided);
}

TEST(StaticOtherFiles, whatTheSimulatorDoesNotSupportIsUndecided) {
  const StaticResult result =
      check(kernelAround("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;"));
  expectUndecided(result, "not supported");
}

TEST(StaticOtherFiles, aKernelThatDoesNotExistIsAProblem) {
  Diagnostics problems;
  const ptx::Module module = ptx::parse(kernelAround(""), "test.ptx", problems);
  const StaticResult result = checkStatic(module, "no", {});
  EXPECT_THAT(textOf(result.problems), HasSubstr("there is no kernel 'no'"));
  EXPECT_THAT(result.undecided, IsEmpty());
}

// --- variables

TEST(StaticOtherFiles, aVariableOfAnotherFileIsData) {
  const std::string table = ".extern .global .align 4 .b8 table[256];\n";
  expectVerdict(Verdict::Holds,
                check(kernelAround("ld.global.u32 %r4, [table]; st.shared.u32 [%r3], %r4;", table)));
  const StaticResult address = check(
      kernelAround("ld.global.u32 %r4, [table]; and.b32 %r4, %r4, 1020; mov.u32 %r5, s; add.u32 %r5, %r5, "
                   "%r4; st.shared.u32 [%r5], 1; ld.shared.u32 %r6, [%r3];",
                   table));
  expectDecision(Decision::Undecided, Property::SharedRaces, address);
  expectDecision(Decision::Violated, Property::GlobalRacesInBlock,
                 check(kernelAround("st.global.u32 [table], %r1;", table)));
}

TEST(StaticOtherFiles, constantsOfAnotherFileAreNotKnown) {
  const std::string table = ".extern .const .align 4 .b8 table[256];\n";
  const std::string body =
      "ld.const.u32 %r4, [table]; setp.eq.u32 %p1, %r4, 0; @%p1 bra A; bar.sync 1, 64; A:";
  EXPECT_NE(check(kernelAround(body, table)).of(Property::BarrierUse).decision, Decision::Violated);
  StaticOptions options;
  options.constantsAreKnown = true;
  expectUndecided(check(kernelAround(body, table), options),
                  "the initial values of 'table', which another file defines, are unknown");
}

TEST(StaticOtherFiles, anArrayWithoutASizeIsUndecided) {
  expectUndecided(
      check(kernelAround("ld.global.u32 %r4, [table];", ".extern .global .align 4 .b8 table[];\n")),
      "the size of 'table', which another file defines, is unknown");
  // A kernel that does not use it is decided.
  expectVerdict(Verdict::Holds, check(kernelAround("", ".extern .global .align 4 .b8 table[];\n")));
}

} // namespace
} // namespace heddle::check::test
