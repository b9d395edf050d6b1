// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values are known. A kernel computes %r10, and a barrier's number depends on it: undecided where it is
// unknown. Values are the same for all threads, so that a known one does no harm.
#include "StaticRunner.h"

namespace heddle::check::test {
namespace {

std::string barrierIf(std::string_view computation) {
  return kernelAround(std::string(computation) + R"(
  setp.ne.u32 %p19, %r10, 0;
  selp.u32 %r11, 1, 0, %p19;
  bar.sync %r11;
)");
}

struct Case {
  const char *name;
  const char *body;
  bool known;
};

class StaticTaint : public testing::TestWithParam<Case> {};

TEST_P(StaticTaint, decidesWhetherAValueIsKnown) {
  expectVerdict(GetParam().known ? Verdict::Holds : Verdict::Undecided, check(barrierIf(GetParam().body)));
}

const Case Cases[] = {
    {"constant", "mov.u32 %r10, 1;", true},
    {"parameter", "mov.u32 %r10, %r0;", false},
    {"blockDim", "mov.u32 %r10, %ntid.x;", true},
    {"blockIdx", "mov.u32 %r10, %ctaid.x;", false},
    {"gridDim", "mov.u32 %r10, %nctaid.y;", false},
    {"clock", "mov.u32 %r10, %clock;", false},
    {"warpid", "mov.u32 %r10, %warpid;", false},
    {"dynamicSharedSize", "mov.u32 %r10, %dynamic_smem_size;", true},
    {"neverSet", "mov.u32 %r10, %r39;", false},
    {"sum", "add.u32 %r10, %r0, 1;", false},
    {"andZero", "and.b32 %r10, %r0, 0;", true},
    {"andZeroFirst", "mov.u32 %r4, 0; and.b32 %r10, %r4, %r0;", true},
    {"andOne", "and.b32 %r10, %r0, 1;", false},
    {"orOnes", "or.b32 %r10, %r0, 0xffffffff;", true},
    {"orOne", "or.b32 %r10, %r0, 1;", false},
    {"timesZero", "mul.lo.u32 %r10, %r0, 0;", true},
    {"timesTwo", "mul.lo.u32 %r10, %r0, 2;", false},
    {"madZero", "mad.lo.u32 %r10, %r0, 0, 7;", true},
    {"madZeroPlusUnknown", "mad.lo.u32 %r10, %r0, 0, %r0;", false},
    {"floatTimesZero", "cvt.rn.f32.u32 %f1, %r0; mul.f32 %f2, %f1, 0f00000000; cvt.rzi.u32.f32 %r10, %f2;",
     false},
    {"minusItself", "sub.u32 %r10, %r0, %r0;", true},
    {"xorItself", "xor.b32 %r10, %r0, %r0;", true},
    {"minusAnother", "add.u32 %r4, %r0, 0; sub.u32 %r10, %r0, %r4;", false},
    {"selectKnownByKnown", "setp.ge.u32 %p1, %r1, 0; selp.u32 %r10, 1, %r0, %p1;", true},
    {"selectUnknownByKnown", "setp.ge.u32 %p1, %r1, 0; selp.u32 %r10, %r0, 1, %p1;", false},
    {"selectByUnknown", "setp.ne.u32 %p1, %r0, 0; selp.u32 %r10, 1, 2, %p1;", false},
    {"compareUnknown", "setp.ne.u32 %p1, %r0, 5; selp.u32 %r10, 1, 0, %p1;", false},
    {"falseAndUnknown",
     "setp.ne.u32 %p1, %r0, 5; setp.lt.u32 %p2, %r1, 0; and.pred %p3, %p1, %p2; selp.u32 %r10, 1, 0, %p3;",
     true},
    {"trueAndUnknown",
     "setp.ne.u32 %p1, %r0, 5; setp.ge.u32 %p2, %r1, 0; and.pred %p3, %p1, %p2; selp.u32 %r10, 1, 0, %p3;",
     false},
    {"trueOrUnknown",
     "setp.ne.u32 %p1, %r0, 5; setp.ge.u32 %p2, %r1, 0; or.pred %p3, %p1, %p2; selp.u32 %r10, 1, 0, %p3;",
     true},
    {"compareJoinedWithFalse",
     "setp.lt.u32 %p1, %r1, 0; setp.ne.and.u32 %p2, %r0, 5, %p1; selp.u32 %r10, 1, 0, %p2;", true},
    {"falseCompareJoinedWithUnknown",
     "setp.ne.u32 %p1, %r0, 5; setp.lt.and.u32 %p2, %r1, 0, %p1; selp.u32 %r10, 1, 0, %p2;", true},
    {"falseCompareJoinedInPlace",
     "setp.ne.u32 %p1, %r0, 5; setp.lt.and.u32 %p1, %r1, 0, %p1; selp.u32 %r10, 1, 0, %p1;", true},
    {"trueCompareOrUnknown",
     "setp.ne.u32 %p1, %r0, 5; setp.ge.or.u32 %p2, %r1, 0, %p1; selp.u32 %r10, 1, 0, %p2;", true},
    {"trueCompareJoinedWithUnknown",
     "setp.ne.u32 %p1, %r0, 5; setp.ge.and.u32 %p2, %r1, 0, %p1; selp.u32 %r10, 1, 0, %p2;", false},
    {"guardedByUnknown", "mov.u32 %r10, 1; setp.ne.u32 %p1, %r0, 5; @%p1 mov.u32 %r10, 2;", false},
    {"guardedByKnown", "mov.u32 %r10, 1; setp.lt.u32 %p1, %r1, 0; @%p1 mov.u32 %r10, %r0;", true},
    {"carryOfUnknown", "add.cc.u32 %r4, %r0, 1; addc.u32 %r10, 0, 0;", false},
    {"carryOfKnown", "add.cc.u32 %r4, %r3, 1; addc.u32 %r10, 0, 0;", true},
    {"globalLoad", "ld.global.u32 %r10, [%rd0];", false},
    {"sharedKnown", "st.shared.u32 [%r3], 1; ld.shared.u32 %r10, [%r3];", true},
    {"sharedUnknown", "st.shared.u32 [%r3], %r0; ld.shared.u32 %r10, [%r3];", false},
    {"sharedNeighbour",
     "shl.b32 %r4, %r1, 4; mov.u32 %r5, s; add.u32 %r5, %r5, %r4; mov.u32 %r6, 1; "
     "st.shared.v2.u32 [%r5], {%r6, %r0}; ld.shared.u32 %r10, [%r5];",
     true},
    {"sharedHalfUnknown",
     "st.shared.u32 [%r3], 0; cvt.u16.u32 %h1, %r0; st.shared.u16 [%r3], %h1; ld.shared.u32 %r10, [%r3];",
     false},
    {"sharedOverwritten", "st.shared.u32 [%r3], %r0; st.shared.u32 [%r3], 1; ld.shared.u32 %r10, [%r3];",
     true},
    {"atomicResult", "st.shared.u32 [%r3], 0; atom.shared.add.u32 %r10, [%r3], 1;", false},
    {"genericSharedKnown",
     "st.shared.u32 [%r3], 1; cvt.u64.u32 %rd1, %r3; cvta.shared.u64 %rd2, %rd1; ld.u32 %r10, [%rd2];", true},
    {"isNotShared", "isspacep.shared %p1, %rd0; selp.u32 %r10, 1, 0, %p1;", true},
    {"shuffleOfKnown", "shr.u32 %r4, %r1, 5; shfl.sync.idx.b32 %r5, %r4, 0, 31, -1; sub.u32 %r10, %r5, %r4;",
     true},
    {"shuffleOfUnknown", "shfl.sync.idx.b32 %r10, %r0, 0, 31, -1;", false},
    {"shuffleFromUnknownLane", "mov.u32 %r4, 1; shfl.sync.idx.b32 %r10, %r4, %r0, 31, -1;", false},
    {"shuffleFromAKnownLane",
     "and.b32 %r4, %r1, 31; setp.eq.u32 %p1, %r4, 0; selp.u32 %r5, 1, %r0, %p1; shfl.sync.idx.b32 %r10, %r5, "
     "0, 31, -1;",
     true},
    {"ballotOfKnown", "setp.ge.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r10, %p1, -1;", true},
    {"ballotOfUnknown", "setp.ne.u32 %p1, %r0, 5; vote.sync.ballot.b32 %r10, %p1, -1;", false},
    {"anyWithAKnownYes",
     "and.b32 %r4, %r1, 31; setp.eq.u32 %p1, %r4, 0; setp.ne.or.u32 %p2, %r0, 5, %p1; vote.sync.any.pred "
     "%p3, %p2, -1; "
     "selp.u32 %r10, 1, 0, %p3;",
     true},
    {"reduxOfUnknown", "redux.sync.add.u32 %r10, %r0, -1;", false},
    {"elect", "elect.sync _|%p1, -1; mov.u32 %r10, 1;", true},
    {"barrierReduction", "setp.ne.u32 %p1, %r0, 5; bar.red.popc.u32 %r10, 0, %p1;", false},
    {"unknownBranchForgetsItsRegion",
     "mov.u32 %r10, 1; setp.ne.u32 %p1, %r0, 5; @%p1 bra A; mov.u32 %r10, 2; A:", false},
    {"unknownBranchKeepsTheRest",
     "mov.u32 %r10, 1; setp.ne.u32 %p1, %r0, 5; @%p1 bra A; mov.u32 %r11, 2; A:", true},
    {"knownBranchForgetsNothing",
     "mov.u32 %r10, 1; setp.ge.u32 %p1, %r1, 0; @%p1 bra A; mov.u32 %r10, %r0; A:", true},
    {"unknownLoopKeepsTheRest",
     "mov.u32 %r10, 1; mov.u32 %r4, 0; L: add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r0; @%p1 bra L;", true},
    {"unknownLoopForgetsItsCounter",
     "mov.u32 %r10, 0; L: add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r0; @%p1 bra L;", false},
};

INSTANTIATE_TEST_SUITE_P(Rules, StaticTaint, testing::ValuesIn(Cases),
                         [](const auto &info) { return info.param.name; });

TEST(StaticTaint, aGivenParameterIsKnown) {
  StaticOptions options;
  options.parameters = {{"0", "3"}};
  expectVerdict(Verdict::Holds, check(barrierIf("mov.u32 %r10, %r0;"), options));
  options.parameters = {{"n", "0x3"}};
  expectVerdict(Verdict::Holds, check(barrierIf("mov.u32 %r10, %r0;"), options));
}

TEST(StaticTaint, aGivenBlockAndGridAreKnown) {
  StaticOptions options;
  options.blockId = vm::Dim3{3, 0, 0};
  expectVerdict(Verdict::Holds, check(barrierIf("mov.u32 %r10, %ctaid.x;"), options));
  expectVerdict(Verdict::Undecided, check(barrierIf("mov.u32 %r10, %nctaid.x;"), options));
  options.grid = vm::Dim3{8, 1, 1};
  expectVerdict(Verdict::Holds, check(barrierIf("mov.u32 %r10, %nctaid.x;"), options));
}

TEST(StaticTaint, argumentsAndResultsOfCallsCarryIt) {
  const std::string callee = R"(
.func (.param .b32 out) half(.param .b32 in) {
  .reg .b32 %r<4>;
  ld.param.u32 %r0, [in];
  shr.u32 %r1, %r0, 1;
  st.param.b32 [out], %r1;
  ret;
}
)";
  auto body = [](const char *value) {
    return fmt::format(R"(
  {{ .param .b32 a; .param .b32 b;
  st.param.b32 [a], {};
  call.uni (b), half, (a);
  ld.param.b32 %r10, [b]; }}
  setp.ne.u32 %p19, %r10, 0;
  @%p19 bra SKIP;
  bar.sync 0;
SKIP:
)",
                       value);
  };
  expectVerdict(Verdict::Holds, check(kernelAround(body("4"), callee)));
  expectVerdict(Verdict::Undecided, check(kernelAround(body("%r0"), callee)));
}

TEST(StaticTaint, constantMemoryIsKnownWhereTheCallerAssumesIt) {
  const std::string table = ".const .align 4 .b32 rows[2] = {128, 256};\n";
  // Each warp writes a row of its own, by a table.
  const std::string kernel = kernelAround(R"(
  shr.u32 %r10, %r1, 5;
  mul.wide.u32 %rd1, %r10, 4;
  mov.u64 %rd2, rows;
  add.u64 %rd2, %rd2, %rd1;
  ld.const.u32 %r11, [%rd2];
  and.b32 %r12, %r2, 127;
  add.u32 %r11, %r11, %r12;
  mov.u32 %r13, s;
  add.u32 %r13, %r13, %r11;
  st.shared.u32 [%r13], %r1;
)",
                                          table);
  expectVerdict(Verdict::Undecided, check(kernel));
  StaticOptions options;
  options.constantsAreKnown = true;
  expectVerdict(Verdict::Holds, check(kernel, options));
  std::string same = kernel;
  same.replace(same.find("128, 256"), 8, "128, 128");
  expectVerdict(Verdict::Fails, check(same, options));
}

} // namespace
} // namespace heddle::check::test
