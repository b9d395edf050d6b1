// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts/MergedLoads.h"

#include "Tables.h"
#include "counts/LaunchCounter.h"
#include "vm/Code.h"
#include "vm/Runner.h"

#include <gmock/gmock.h>

namespace heddle::counts {
namespace {

using testing::ElementsAre;
using vm::test::Runner;

/// A kernel whose %r2 is the address of a row of 64 bytes for each thread, and %r3 that of a word for each.
std::string kernel(const std::string &body) {
  return ".shared .align 4 .b8 tile[4096];\n"
         ".visible .entry k(.param .u64 out) {\n"
         ".reg .pred %p<4>; .reg .b64 %rd<8>; .reg .b32 %r<32>; .reg .f32 %f<16>;\n"
         "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, tile;\n"
         "shl.b32 %r4, %r0, 6; add.s32 %r2, %r1, %r4; shl.b32 %r5, %r0, 2; add.s32 %r3, %r1, %r5;\n" +
         body + "ret; }\n";
}

/// The widths of all loads of shared memory, in the order of the text; 255: one that stays as it is.
std::vector<unsigned> widths(const std::string &body) {
  Runner runner(kernel(body));
  const ptx::Function &function = *runner.kernel()->codes.front()->function;
  const std::vector<MergedLoad> loads = mergedLoads(function);
  std::vector<unsigned> found;
  for (size_t i = 0; i < loads.size(); ++i)
    if (function.instrs[i].op == ptx::Op::Ld && function.instrs[i].mods.space == ptx::Space::Shared)
      found.push_back(loads[i].bytes);
  return found;
}
constexpr unsigned Alone = MergedLoad::Alone;

TEST(MergedLoads, NeighboursOfAnAlignedRowAreOneLoad) {
  EXPECT_THAT(widths("ld.shared.f32 %f1, [%r2+4]; ld.shared.f32 %f0, [%r2]; ld.shared.f32 %f2, [%r2+8];\n"
                     "ld.shared.f32 %f3, [%r2+12]; ld.shared.f32 %f4, [%r2+16];\n"),
              ElementsAre(0, 16, 0, 0, Alone));
  EXPECT_THAT(widths("ld.shared.f32 %f0, [%r2+8]; ld.shared.f32 %f1, [%r2+12];\n"), ElementsAre(8, 0));
  EXPECT_THAT(widths("ld.shared.f32 %f0, [tile+32]; ld.shared.f32 %f1, [tile+36];\n"), ElementsAre(8, 0));
}

TEST(MergedLoads, AddressesThatMayBeUnalignedAreLeftAlone) {
  EXPECT_THAT(widths("ld.shared.f32 %f0, [%r3]; ld.shared.f32 %f1, [%r3+4];\n"), ElementsAre(Alone, Alone));
  EXPECT_THAT(widths("ld.shared.f32 %f0, [%r2+4]; ld.shared.f32 %f1, [%r2+8];\n"), ElementsAre(Alone, Alone));
  EXPECT_THAT(widths("ld.shared.u32 %r2, [tile]; ld.shared.f32 %f0, [%r2]; ld.shared.f32 %f1, [%r2+4];\n"),
              ElementsAre(Alone, Alone, Alone));
}

TEST(MergedLoads, StoresAndBarriersBetweenThemKeepThemApart) {
  const std::string first = "ld.shared.f32 %f0, [%r2];\n", second = "ld.shared.f32 %f1, [%r2+4];\n";
  EXPECT_THAT(widths(first + "st.shared.f32 [%r3], %f0;\n" + second), ElementsAre(Alone, Alone));
  EXPECT_THAT(widths(first + "bar.sync 0;\n" + second), ElementsAre(Alone, Alone));
  EXPECT_THAT(widths(first + "st.global.f32 [%rd0], %f0;\n" + second), ElementsAre(8, 0));
  EXPECT_THAT(widths("ld.volatile.shared.f32 %f0, [%r2]; ld.volatile.shared.f32 %f1, [%r2+4];\n"),
              ElementsAre(Alone, Alone));
  EXPECT_THAT(widths(first + "add.s32 %r2, %r2, 64;\n" + second), ElementsAre(Alone, Alone));
}

TEST(MergedLoads, LoopsKeepTheAlignmentOfWhatTheyAdd) {
  auto loop = [&](const std::string &step) {
    return widths("mov.u32 %r6, %r2;\nAGAIN: ld.shared.f32 %f0, [%r6]; ld.shared.f32 %f1, [%r6+4];\n"
                  "ld.shared.f32 %f2, [%r6+8]; ld.shared.f32 %f3, [%r6+12];\n"
                  "add.s32 %r6, %r6, " +
                  step + ";\nsetp.lt.u32 %p0, %r6, 2048; @%p0 bra AGAIN;\n");
  };
  EXPECT_THAT(loop("64"), ElementsAre(16, 0, 0, 0));
  EXPECT_THAT(loop("8"), ElementsAre(8, 0, 8, 0));
  EXPECT_THAT(loop("4"), ElementsAre(Alone, Alone, Alone, Alone));
}

TEST(MergedLoads, AreCountedAsOneInstructionAndOneAccess) {
  // All lanes of a block read the same row: 16 bytes.
  Runner runner(
      kernel("ld.shared.f32 %f0, [tile]; ld.shared.f32 %f1, [tile+4]; ld.shared.f32 %f2, [tile+8];\n"
             "ld.shared.f32 %f3, [tile+12]; add.f32 %f0, %f0, %f1; add.f32 %f2, %f2, %f3;\n"
             "add.f32 %f0, %f0, %f2; st.global.f32 [%rd0], %f0;\n"));
  const KernelCode code = codeOf(*runner.kernel(), h200());
  LaunchCounter counter(*runner.kernel(), code);
  runner.observer = &counter;
  runner.run({1}, {64}, runner.buffer<float>(1));
  const LaunchFacts facts = counter.take(20);
  EXPECT_EQ(facts.instructions.at("ld.shared"), 2u) << "one for each warp";
  EXPECT_EQ(facts.sums.sharedRequests, 8u) << "the program's own";
  EXPECT_EQ(facts.sharedPasses.byWords, 2u);
  EXPECT_EQ(facts.sharedPasses.byParts, 8u);
  EXPECT_EQ(facts.sharedPasses.ofAtomics, 0u);
}

} // namespace
} // namespace heddle::counts
