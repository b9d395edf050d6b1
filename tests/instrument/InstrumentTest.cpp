// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrument/Instrument.h"

#include "Compare.h"
#include "Counting.h"
#include "divergence/Kernels.h"
#include "instrument/Assemble.h"
#include "support/CudaToolkit.h"

#include <gmock/gmock.h>

namespace heddle::instrument {
namespace {

using divergence::LaunchProfile;

/// `in` holds one number for each thread.
Setting withNumbers(vm::Dim3 grid, vm::Dim3 block, std::vector<int> in) {
  return [=](Machine &machine) {
    machine.request.grid = grid, machine.request.block = block;
    int *buffer = machine.buffer<int>(in.size());
    std::copy(in.begin(), in.end(), buffer);
    machine.request.parameters.resize(sizeof buffer);
    std::memcpy(machine.request.parameters.data(), &buffer, sizeof buffer);
  };
}

std::vector<int> lengths(size_t count) {
  const std::vector<int> some = {5, 0, 7, 2, 2, 9, 1, 0, 3};
  std::vector<int> in(count);
  for (size_t i = 0; i < count; ++i)
    in[i] = some[i % some.size()];
  return in;
}

/// Both ways, compared; what the counters say.
LaunchProfile compared(const std::string &kernel, const Setting &setting) {
  const std::optional<LaunchProfile> one = counted(Head + kernel, setting),
                                     other = simulated(Head + kernel, setting);
  EXPECT_TRUE(one && other);
  if (!one || !other)
    return LaunchProfile();
  expectSame(*one, *other);
  return *one;
}

double wronglyAttributed(const std::string &kernel, const Setting &setting) {
  Attribution attribution;
  attribution.add(counted(Head + kernel, setting).value(), simulated(Head + kernel, setting).value());
  return attribution.wrongShare();
}

TEST(Instrument, CountsBothSidesOfABranch) {
  const LaunchProfile profile = compared(divergence::evenOrOdd, withNumbers({3}, {64}, {0}));
  EXPECT_EQ(profile.branches.front().divergent, 6u);
}

/// Three ifs in each other, and one behind them.
const char *const nested = ".visible .entry k(.param .u64 in) {\n"
                           ".reg .b32 %r<8>; .reg .pred %p<4>;\n"
                           "mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 1; @%p0 bra A;\n"
                           "and.b32 %r1, %r0, 2; setp.eq.u32 %p0, %r1, 2; @%p0 bra B;\n"
                           "and.b32 %r1, %r0, 12; setp.eq.u32 %p0, %r1, 12; @%p0 bra C;\n"
                           "add.u32 %r2, %r0, 1;\n"
                           "C: add.u32 %r2, %r0, 1;\n"
                           "B: add.u32 %r2, %r0, 1;\n"
                           "A: setp.gt.u32 %p0, %r0, 40; @%p0 bra END; add.u32 %r2, %r0, 1;\n"
                           "END: ret; }\n";

TEST(LostLanes, AreAttributedToTheBranchThatABlockDependsOn) {
  EXPECT_EQ(wronglyAttributed(divergence::evenOrOdd, withNumbers({3}, {60}, {0})), 0);
  EXPECT_EQ(wronglyAttributed(nested, withNumbers({2}, {64}, {0})), 0);
  EXPECT_EQ(wronglyAttributed(divergence::loopOfLoaded, withNumbers({2}, {64},
                                                                    [] {
                                                                      std::vector<int> in(128);
                                                                      for (size_t i = 0; i < in.size(); ++i)
                                                                        in[i] = int(i % 7) + 1;
                                                                      return in;
                                                                    }())),
            0);
}

TEST(LostLanes, OfALoopAreDistributedOverTheBranchesBeforeAndInIt) {
  EXPECT_LT(wronglyAttributed(divergence::loopOfLoaded, withNumbers({2}, {96}, lengths(192))), 0.25);
}

TEST(Instrument, CountsLoopsWithAnyNumberOfIterations) {
  compared(divergence::loopOfLoaded, withNumbers({2}, {96}, lengths(192)));
}

TEST(Instrument, CountsWarpsWithFewerThanAllLanes) {
  const LaunchProfile profile =
      compared(divergence::loopOfLoaded, withNumbers({2, 2}, {5, 3, 3}, lengths(1000)));
  EXPECT_EQ(profile.absentLanes.front(), 4u * 19);
}

TEST(Instrument, KeepsWhatEachThreadLoadsFirst) {
  const std::vector<int> in = lengths(192);
  const LaunchProfile profile = compared(divergence::loopOfLoaded, withNumbers({2}, {96}, in));
  const auto element =
      std::ranges::find(profile.inputs.inputs, divergence::Input::Kind::Element, &divergence::Input::kind);
  ASSERT_NE(element, profile.inputs.inputs.end());
  const std::vector<double> &values = profile.inputs.values[size_t(element - profile.inputs.inputs.begin())];
  EXPECT_TRUE(std::ranges::equal(values, in));
}

/// Every fourth thread loads the second of two numbers with a sign, twice: its loop has as many iterations. Blocks: 0 entry, 1
/// load, 2 loop, 3 end.
const char *const vectorLoad =
    ".visible .entry k(.param .u64 in) {\n"
    ".reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [in]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 3; setp.ne.u32 %p0, %r1, 0; @%p0 bra "
    "END;\n"
    "mul.wide.u32 %rd1, %r0, 4; add.s64 %rd2, %rd0, %rd1; setp.eq.u32 %p3, %r1, 0;\n"
    "@%p3 ld.global.v2.s8 { %h0 , %h1 }, [%rd2]; cvt.s32.s16 %r2, %h1; neg.s32 %r2, %r2; mov.u32 %r3, 0;\n"
    "LOOP: add.s32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r2; @%p1 bra LOOP;\n"
    "END: ret; }\n";

TEST(Instrument, KeepsElementsOfVectors) {
  std::vector<int> in(64);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = int((0x100 - i / 4) << 8 | 7); // the second byte is -i / 4
  const LaunchProfile profile = compared(vectorLoad, withNumbers({1}, {64}, in));
  std::vector<double> kept;
  for (const std::vector<double> &values : profile.inputs.values)
    for (size_t t = 0; t < values.size(); t += 4)
      kept.push_back(values[t]);
  ASSERT_EQ(kept.size(), 16u);
  for (size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(kept[i], -double(i));
}

/// Blocks: 0 entry, 1 loop, 2 in the loop: under a condition, 3 latch, 4 end.
const char *const exits = ".visible .entry k(.param .u64 in) {\n"
                          ".reg .b32 %r<8>; .reg .pred %p<4>;\n"
                          "mov.u32 %r0, %tid.x; setp.gt.u32 %p0, %r0, 50; @%p0 exit;\n"
                          "mov.u32 %r1, 0;\n"
                          "LOOP: add.u32 %r1, %r1, 1; setp.gt.u32 %p1, %r1, %r0; @%p1 ret;\n"
                          "setp.lt.u32 %p2, %r1, 20; @!%p2 bra END; bra LOOP;\n"
                          "END: @%p0 exit; }\n";

TEST(Instrument, CountsLanesThatLeave) {
  const LaunchProfile profile = compared(exits, withNumbers({2}, {64}, {0}));
  EXPECT_GT(profile.divergentWarps, 0u);
}

TEST(Instrument, AnEmptyKernelIsEntered) {
  const LaunchProfile profile =
      compared(".visible .entry k(.param .u64 in) { }\n", withNumbers({2}, {40}, {0}));
  EXPECT_EQ(profile.blocks.front().entries, 4u);
}

/// A switch: indices 1 and 3 lead to one place.
const char *const table = ".visible .entry k(.param .u64 in) {\n"
                          ".reg .b32 %r<8>; .reg .pred %p<4>;\n"
                          "mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; and.b32 %r2, %r0, 3;\n"
                          "setp.eq.u32 %p0, %r1, 0; @%p0 mov.u32 %r2, 2;\n"
                          "setp.eq.u32 %p0, %r1, 1; @%p0 and.b32 %r2, %r0, 2; @%p0 add.u32 %r2, %r2, 1;\n"
                          "T: .branchtargets A, B, C, B;\n"
                          "brx.idx %r2, T;\n"
                          "A: add.u32 %r3, %r0, 1; bra END;\n"
                          "B: add.u32 %r3, %r0, 2; bra END;\n"
                          "C: add.u32 %r3, %r0, 3;\n"
                          "END: ret; }\n";

TEST(Instrument, TargetsOfIndirectBranchesAreCompared) {
  const LaunchProfile profile = compared(table, withNumbers({1}, {96}, {0}));
  EXPECT_EQ(profile.branches.front().executions, 3u);
  EXPECT_EQ(profile.branches.front().divergent, 1u);
}

/// A function in scopes of their own, with a loop, called in a branch and behind it; a function that nothing calls.
const char *const calls = ".func unused(.param .b32 x) { .reg .pred %p<2>; .reg .b32 %r<2>; ld.param.b32 "
                          "%r0, [x]; setp.eq.b32 %p0, %r0, "
                          "1; @%p0 bra L; add.u32 %r0, %r0, 1; L: ret; }\n"
                          ".func (.param .b32 out) turns(.param .b32 times) {\n"
                          "{ .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.b32 %r0, [times]; mov.u32 %r1, 0;\n"
                          "AGAIN: add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, %r0; @%p0 bra AGAIN;\n"
                          "st.param.b32 [out], %r1; } ret; }\n"
                          ".visible .entry k(.param .u64 in) {\n"
                          ".reg .b32 %r<8>; .reg .pred %p<4>;\n"
                          "mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 1; setp.eq.u32 %p0, %r1, 1; @%p0 bra END;\n"
                          "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r0; call.uni (b), turns, (a); "
                          "ld.param.b32 %r2, [b]; }\n"
                          "END: { .param .b32 a; .param .b32 b; st.param.b32 [a], 3; call.uni (b), turns, "
                          "(a); ld.param.b32 %r2, [b]; }\n"
                          "ret; }\n";

TEST(Instrument, FunctionsAreCountedForTheKernelThatCallsThem) {
  const LaunchProfile profile = compared(calls, withNumbers({2}, {64}, {0}));
  EXPECT_EQ(profile.blocks.size(), 6u); // three of the kernel, three of `turns`, none of what is not called
}

TEST(Instrument, SampledBlocksRepresentTheOthers) {
  const Setting setting = withNumbers({10}, {64}, std::vector<int>(640, 3));
  const std::string kernel = Head + divergence::loopOfLoaded;
  const std::optional<LaunchProfile> all = counted(kernel, setting), some = counted(kernel, setting, 3000);
  ASSERT_TRUE(all && some);
  expectSame(*some, *all);
}

TEST(Instrument, OnlySampledBlocksAreCounted) {
  // Blocks with an odd number do more.
  std::vector<int> in(640);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = i / 64 % 2 ? 9 : 2;
  const std::optional<LaunchProfile> profile =
      counted(Head + divergence::loopOfLoaded, withNumbers({10}, {64}, in), 5 * 1024);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->vectors.threads(), 640u);
  EXPECT_EQ(profile->vectors.distinct(), 1u);
  EXPECT_EQ(profile->blocks[1].entries, 20u * 2);
}

TEST(Instrument, CommentsAndStringsAreNoCode) {
  const std::string kernel = ".visible .entry k(.param .u64 in) // with a brace {\n"
                             "{ /* another } */ .reg .b32 %r<2>;\n"
                             ".pragma \"a } brace\";\n"
                             "mov.u32 %r0, %tid.x; // the end }\n"
                             "}\n";
  compared(kernel, withNumbers({1}, {32}, {0}));
}

TEST(Instrument, IsAcceptedByPtxas) {
  const std::optional<std::filesystem::path> nvcc = findNvcc();
  if (!nvcc)
    GTEST_SKIP() << "there is no toolkit";
  for (const std::string kernel : {divergence::evenOrOdd.c_str(), exits, table, calls, vectorLoad}) {
    Diagnostics problems;
    const std::string text = Head + kernel;
    const std::optional<CountedPtx> counted =
        addCounters(text, ptx::parse(text, "test.ptx", problems), problems);
    ASSERT_TRUE(counted);
    const std::optional<std::string> image = assemble(counted->text, "sm_90a", *nvcc, problems);
    ASSERT_TRUE(image) << textOf(problems);
    EXPECT_EQ(image->substr(0, 4), "\x50\xed\x55\xba");
  }
}

TEST(Instrument, WhatPtxasRefusesIsReported) {
  const std::optional<std::filesystem::path> nvcc = findNvcc();
  if (!nvcc)
    GTEST_SKIP() << "there is no toolkit";
  Diagnostics problems;
  EXPECT_FALSE(assemble(std::string(Head) + ".visible .entry k() { add.u32 %none, 1, 2; ret; }\n", "sm_90a",
                        *nvcc, problems));
  EXPECT_THAT(textOf(problems), testing::HasSubstr("the instrumented kernels cannot be assembled: "));
  EXPECT_THAT(textOf(problems), testing::HasSubstr("%none"));
}

std::string refusalOf(const std::string &ptx) {
  Diagnostics problems;
  const ptx::Module module = ptx::parse(ptx, "old.ptx", problems);
  EXPECT_TRUE(problems.empty()) << textOf(problems);
  EXPECT_FALSE(addCounters(ptx, module, problems));
  return textOf(problems);
}

TEST(Instrument, RefusesWhatHasNoVotesWithAMask) {
  EXPECT_THAT(refusalOf(".version 7.0\n.target sm_60\n.address_size 64\n.visible .entry k() { ret; }\n"),
              testing::HasSubstr(
                  "'old.ptx' cannot be instrumented: it is for sm_60, and counting needs sm_70 or newer"));
  EXPECT_THAT(refusalOf(".version 6.1\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n"),
              testing::HasSubstr("its PTX version 6.1 has no activemask"));
  EXPECT_THAT(refusalOf(".version 7.0\n.target sm_70\n.address_size 32\n.visible .entry k() { ret; }\n"),
              testing::HasSubstr("its addresses have 32 bits"));
}

} // namespace
} // namespace heddle::instrument
