// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/Polls.h"

#include "check/Updates.h"
#include "ptx/Parser.h"

#include <gtest/gtest.h>

namespace heddle::check {
namespace {

ptx::Module parsed(const std::string &body) {
  Diagnostics problems;
  ptx::Module module = ptx::parse(".version 8.5\n.target sm_90\n.address_size 64\n"
                                  ".visible .entry k(.param .u64 p) {\n"
                                  ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .f32 %f<4>;\n"
                                  ".shared .align 4 .b8 s[64];\nld.param.u64 %rd1, [p];\n" +
                                      body + "\nret;\n}\n",
                                  "k.ptx", problems);
  EXPECT_TRUE(problems.empty());
  return module;
}

uint32_t firstOf(const ptx::Function &function, ptx::Op op, unsigned skip = 0) {
  for (uint32_t i = 0; i < function.instrs.size(); ++i)
    if (function.instrs[i].op == op && function.instrs[i].mods.space != ptx::Space::Param && skip-- == 0)
      return i;
  ADD_FAILURE() << "no such instruction";
  return 0;
}

bool pollsIn(const std::string &body, ptx::Op op = ptx::Op::Ld) {
  const ptx::Module module = parsed(body);
  return isPoll(module.functions[0], firstOf(module.functions[0], op));
}

TEST(Polls, ALoopThatWaitsForAValueIsOne) {
  EXPECT_TRUE(pollsIn("L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra L;"));
  EXPECT_TRUE(pollsIn("L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra L;",
                      ptx::Op::AtomCas));
}

TEST(Polls, ALoadThatIsExecutedOnceIsNone) {
  EXPECT_FALSE(pollsIn("ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra L; L:"));
}

TEST(Polls, ALoopOverElementsIsNone) {
  EXPECT_FALSE(pollsIn("L: ld.volatile.global.u32 %r1, [%rd1]; add.s64 %rd1, %rd1, 4;\n"
                       "setp.ne.s32 %p1, %r1, 0; @%p1 bra L;"))
      << "each element is read once";
}

TEST(Polls, ALoopThatEndsForAnotherReasonIsNone) {
  EXPECT_FALSE(pollsIn("mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%rd1]; add.s32 %r3, %r3, %r1;\n"
                       "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, 10; @%p1 bra L;"));
}

TEST(Polls, TheValueMayDecideThroughAVoteOrAVariable) {
  EXPECT_TRUE(pollsIn("L: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0;\n"
                      "vote.sync.any.pred %p2, %p1, -1; @%p2 bra L;"));
  EXPECT_TRUE(pollsIn("mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0;\n"
                      "@%p1 bra M; mov.u32 %r2, 1;\nM: setp.eq.s32 %p2, %r2, 0; @%p2 bra L;"));
}

TEST(Polls, ALoopThatStoresThereItselfWorksOnData) {
  EXPECT_FALSE(pollsIn("L: st.volatile.global.u32 [%rd1], 0; ld.volatile.global.u32 %r1, [%rd1];\n"
                       "setp.ne.s32 %p1, %r1, 0; @%p1 bra L;"));
}

std::string atomicFor(const std::string &body) {
  const ptx::Module module = parsed(body);
  const auto update = updateOf(module.functions[0], firstOf(module.functions[0], ptx::Op::St));
  return update ? update->atomic : "";
}

TEST(Updates, NameTheAtomicThatDoesTheSame) {
  EXPECT_EQ(atomicFor("ld.global.u32 %r1, [%rd1]; add.s32 %r2, %r1, 1; st.global.u32 [%rd1], %r2;"),
            "atomicAdd");
  EXPECT_EQ(atomicFor("ld.shared.f32 %f1, [s+4]; add.f32 %f2, %f1, %f3; st.shared.f32 [s+4], %f2;"),
            "atomicAdd");
  EXPECT_EQ(atomicFor("ld.global.u32 %r1, [%rd1]; max.s32 %r2, %r1, %r3; st.global.u32 [%rd1], %r2;"),
            "atomicMax");
}

TEST(Updates, AreOfOneAddressAndOneOperation) {
  EXPECT_EQ(atomicFor("ld.global.u32 %r1, [%rd1+4]; add.s32 %r2, %r1, 1; st.global.u32 [%rd1], %r2;"), "");
  EXPECT_EQ(atomicFor("ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;"), "");
  EXPECT_EQ(atomicFor("ld.global.u32 %r1, [%rd1]; div.s32 %r2, %r1, 3; st.global.u32 [%rd1], %r2;"), "");
}

} // namespace
} // namespace heddle::check
