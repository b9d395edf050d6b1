// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Races in global memory, within a block and between blocks, for addresses that are sums of blockIdx, parameters and the
// thread's number.
#include "StaticRunner.h"

namespace heddle::check::test {
namespace {

constexpr Property InBlock = Property::GlobalRacesInBlock, Between = Property::GlobalRacesBetweenBlocks;

/// %rd2 = p + 4 * (blockIdx.x * `blocks` + threadIdx.x * `threads`)
std::string at(unsigned blocks, unsigned threads) {
  return fmt::format("mov.u32 %r10, %ctaid.x; mul.lo.u32 %r11, %r1, {}; mad.lo.s32 %r12, %r10, {}, %r11; "
                     "mul.wide.s32 %rd1, %r12, 4; add.u64 %rd2, %rd0, %rd1;\n",
                     threads, blocks);
}

StaticResult checkOn(const std::string &body, std::optional<vm::Dim3> grid = {}) {
  StaticOptions options;
  options.grid = grid;
  return check(kernelAround(body), options);
}

TEST(StaticGlobal, anElementForEachThreadIsProved) {
  StaticResult result = checkOn(at(64, 1) + "ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd2], %r4;");
  expectDecision(Decision::Proved, InBlock, result);
  expectDecision(Decision::Proved, Between, result);
  EXPECT_EQ(result.verdict, Verdict::Holds) << story(result);
}
TEST(StaticGlobal, anAssumptionIsPrintedWithTheVerdict) {
  StaticResult result = checkOn(at(64, 1) + "st.global.u32 [%rd2], %r1;");
  EXPECT_EQ(result.of(Between).assuming,
            (std::vector<std::string>{"index arithmetic does not overflow",
                                      "the grid is 1 in y and z, which the kernel does not read"}));
}
TEST(StaticGlobal, aDirectionThatTheKernelDoesNotReadIsAsLargeAsLaunchesHaveIt) {
  auto launchedWith = [](vm::Dim3 mostBlocks) {
    StaticOptions options;
    options.mostBlocks = mostBlocks;
    return check(kernelAround(at(64, 1) + "ld.global.u32 %r4, [%rd2]; st.global.u32 [%rd2], %r4;"), options);
  };
  auto assumed = [&](vm::Dim3 mostBlocks) {
    const StaticResult result = launchedWith(mostBlocks);
    expectDecision(Decision::Proved, Between, result);
    return result.of(Between).assuming.back();
  };
  // Blocks that differ in y alone do the same work.
  expectDecision(Decision::Undecided, Between, launchedWith({4, 2, 1}));
  expectDecision(Decision::Undecided, Between, launchedWith({0, 0, 3}));
  EXPECT_EQ(assumed({4, 1, 1}), "index arithmetic does not overflow");
  EXPECT_EQ(assumed({0, 1, 0}), "the grid is 1 in z, which the kernel does not read");
  EXPECT_EQ(assumed({0, 0, 1}), "the grid is 1 in y, which the kernel does not read");
}
TEST(StaticGlobal, blocksThatOverlapAreNotProved) {
  // 64 threads, but blocks begin 32 elements apart.
  expectDecision(Decision::Proved, InBlock, checkOn(at(32, 1) + "st.global.u32 [%rd2], %r1;"));
  expectDecision(Decision::Undecided, Between, checkOn(at(32, 1) + "st.global.u32 [%rd2], %r1;"));
}
TEST(StaticGlobal, blocksThatReadWhatOthersWriteAreViolatedWhereTheGridIsKnown) {
  const std::string halo = at(64, 1) + "ld.global.u32 %r4, [%rd2+4]; st.global.u32 [%rd2], %r4;";
  expectDecision(Decision::Undecided, Between, checkOn(halo));
  expectDecision(Decision::Violated, Between, checkOn(halo, vm::Dim3{8, 1, 1}));
  expectDecision(Decision::Proved, Between, checkOn(halo, vm::Dim3{1, 1, 1}));
}
TEST(StaticGlobal, aFieldOfAStructForEachThreadIsProved) {
  StaticResult result = checkOn(at(192, 3) + "st.global.u32 [%rd2], %r1; st.global.u32 [%rd2+8], %r1;");
  expectDecision(Decision::Proved, InBlock, result);
  expectDecision(Decision::Proved, Between, result);
}
TEST(StaticGlobal, aReadIsNotHiddenByAWriteOfItsThread) {
  auto with = [&](const char *between) {
    return checkOn(
        at(0, 1) +
        fmt::format("ld.global.u32 %r4, [%rd2];\n {} mov.u32 %r5, 5; st.global.u32 [%rd0], %r5;", between));
  };
  expectDecision(Decision::Violated, InBlock, with(""));
  expectDecision(Decision::Proved, InBlock, with("bar.sync 0;"));
}
TEST(StaticGlobal, threadsOfABlockThatExchangeWithoutABarrierAreViolated) {
  const std::string exchange =
      at(64, 1) + "st.global.u32 [%rd2], %r1;\n  {}\n  xor.b32 %r13, %r1, 32; sub.u32 %r13, %r13, %r1; "
                  "mul.wide.s32 %rd3, %r13, 4; add.u64 %rd4, %rd2, %rd3; ld.global.u32 %r5, [%rd4];";
  auto with = [&](const char *between) {
    std::string text = exchange;
    return text.replace(text.find("{}"), 2, between);
  };
  expectDecision(Decision::Violated, InBlock, checkOn(with("")));
  expectDecision(Decision::Proved, InBlock, checkOn(with("bar.sync 0;")));
  expectDecision(Decision::Proved, Between, checkOn(with("bar.sync 0;")));
}
TEST(StaticGlobal, volatileAndAtomicAccesses) {
  expectDecision(Decision::Violated, InBlock,
                 checkOn("ld.volatile.global.u32 %r4, [%rd0]; st.volatile.global.u32 [%rd0], %r1;"));
  StaticResult result = checkOn("red.global.add.u32 [%rd0], 1;");
  expectDecision(Decision::Proved, InBlock, result);
  expectDecision(Decision::Proved, Between, result);
  expectDecision(Decision::Undecided, Between,
                 checkOn("red.global.add.u32 [%rd0], 1; ld.global.u32 %r4, [%rd0];"));
}
TEST(StaticGlobal, equalValuesDoNoHarm) {
  StaticResult result = checkOn("st.global.u32 [%rd0], 7;");
  expectDecision(Decision::Proved, InBlock, result);
  expectDecision(Decision::Proved, Between, result);
  // All store 7, and one of them 8.
  result = checkOn(
      "st.global.u32 [%rd0], 7; setp.ne.u32 %p1, %r1, 5; @%p1 bra END; st.global.u32 [%rd0], 8; END:");
  expectDecision(Decision::Violated, InBlock, result);
}
TEST(StaticGlobal, aValueThatIsKnownOfOneBlockIsNotThatOfOthers) {
  StaticOptions options;
  options.blockId = vm::Dim3{0, 0, 0};
  const StaticResult result =
      check(kernelAround("mov.u32 %r5, %ctaid.x; st.global.u32 [%rd0], %r5;"), options);
  expectDecision(Decision::Proved, InBlock, result);
  expectDecision(Decision::Undecided, Between, result);
}
TEST(StaticGlobal, oneThreadOfEachBlockIsNotProvedUnlessThereIsOneBlock) {
  const char *one = "setp.ne.u32 %p1, %r1, 0; @%p1 bra END; st.global.u32 [%rd0], %r0; END:";
  expectDecision(Decision::Proved, InBlock, checkOn(one));
  expectDecision(Decision::Undecided, Between, checkOn(one));
  expectDecision(Decision::Proved, Between, checkOn(one, vm::Dim3{1, 1, 1}));
}
TEST(StaticGlobal, aComparisonThatIsNegatedInAnotherGuardsNothing) {
  // p[blockIdx.x * n + threadIdx.x] where threadIdx.x < n, and where it is not.
  auto guardedBy = [](const char *other) {
    return checkOn(
        fmt::format("setp.lt.s32 %p2, %r1, %r0; setp.ge.and.s32 %p1, %r1, 0, {}; @!%p1 bra END; "
                    "mov.u32 %r10, %ctaid.x; mad.lo.s32 %r12, %r10, %r0, %r1; mul.wide.s32 %rd1, %r12, 4; "
                    "add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r1; END:",
                    other));
  };
  expectDecision(Decision::Proved, Between, guardedBy("%p2"));
  expectDecision(Decision::Undecided, Between, guardedBy("!%p2"));
}
TEST(StaticGlobal, anIndexFromMemoryIsUndecided) {
  StaticResult result =
      checkOn("ld.global.u32 %r4, [%rd0+4096]; mul.wide.u32 %rd1, %r4, 4; add.u64 %rd2, %rd0, %rd1; "
              "st.global.u32 [%rd2], %r1;");
  expectDecision(Decision::Undecided, InBlock, result);
  expectDecision(Decision::Undecided, Between, result);
}
TEST(StaticGlobal, behindABranchOnDataItMayHappen) {
  const std::string guarded = at(64, 1) + "setp.ge.s32 %p1, %r12, %r0; @%p1 bra END; ";
  StaticResult result = checkOn(guarded + "st.global.u32 [%rd2], %r1; END:");
  expectDecision(Decision::Proved, InBlock, result);
  expectDecision(Decision::Proved, Between, result);
  result = checkOn(guarded + "st.global.u32 [%rd0], %r1; END:");
  expectDecision(Decision::Undecided, InBlock, result);
}
TEST(StaticGlobal, anAddressThatMovesInALoopOfUnknownLengthIsUndecided) {
  StaticResult result = checkOn(at(64, 1) + R"(
  mov.u32 %r4, 0;
L:
  st.global.u32 [%rd2], %r4;
  add.u64 %rd2, %rd2, 4;
  bar.sync 0;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p2, %r4, %r0;
  @%p2 bra L;
)");
  expectDecision(Decision::Undecided, InBlock, result);
  expectDecision(Decision::Undecided, Between, result);
}
TEST(StaticGlobal, theNonCoherentPathIsForMemoryThatNoThreadWrites) {
  const std::string wrong =
      at(64, 1) + "st.global.u32 [%rd2], %r1; bar.sync 0; ld.global.nc.u32 %r4, [%rd2];";
  expectDecision(Decision::Undecided, InBlock, checkOn(wrong));
  expectDecision(Decision::Proved, InBlock,
                 checkOn("ld.global.nc.u32 %r4, [%rd0]; st.shared.u32 [%r3], %r4;"));
}
TEST(StaticGlobal, twoDimensionsNeedAGrid) {
  // p[(blockIdx.y * 4096 + blockIdx.x * 64 + threadIdx.x)]
  const std::string tiles = "mov.u32 %r10, %ctaid.x; mov.u32 %r13, %ctaid.y; mad.lo.s32 %r12, %r10, 64, %r1; "
                            "mad.lo.s32 %r12, %r13, 4096, %r12; mul.wide.s32 %rd1, %r12, 4; "
                            "add.u64 %rd2, %rd0, %rd1; st.global.u32 [%rd2], %r1;";
  expectDecision(Decision::Undecided, Between, checkOn(tiles));
  expectDecision(Decision::Proved, Between, checkOn(tiles, vm::Dim3{64, 9, 1}));
  expectDecision(Decision::Undecided, Between, checkOn(tiles, vm::Dim3{65, 9, 1}));
}
TEST(StaticGlobal, aGenericAddressOfSharedOrGlobalMemoryCountsForBoth) {
  // Some threads store to the shared array, others to p[0]: one instruction, as compilers merge two stores.
  const std::string address = "cvt.u64.u32 %rd3, %r3; cvta.shared.u64 %rd4, %rd3; setp.lt.u32 %p1, %r1, 32; "
                              "selp.b64 %rd7, %rd0, %rd4, %p1; ";
  for (const char *access :
       {"st.u32 [%rd7], %r1;", "atom.add.u32 %r5, [%rd7], 1; st.global.u32 [%rd0], %r1;"}) {
    StaticResult result = checkOn(address + access);
    EXPECT_NE(result.of(InBlock).decision, Decision::Proved) << story(result);
    EXPECT_NE(result.of(Between).decision, Decision::Proved) << story(result);
    EXPECT_NE(result.of(Property::SharedRaces).decision, Decision::Proved) << story(result);
  }
  // An address that comes from the shared array alone is not one of global memory.
  StaticResult result = checkOn("cvt.u64.u32 %rd3, %r3; cvta.shared.u64 %rd4, %rd3; cvt.u64.u32 %rd5, %r0; "
                                "add.u64 %rd6, %rd4, %rd5; st.u32 [%rd6], %r1;");
  expectDecision(Decision::Proved, InBlock, result);
  expectDecision(Decision::Proved, Between, result);
}
TEST(StaticGlobal, aReversedIndexIsFollowed) {
  // p[n - 1 - i], which compilers write as ~i + n
  const std::string reversed =
      "mov.u32 %r10, %ctaid.x; mad.lo.s32 %r12, %r10, 64, %r1; not.b32 %r13, %r12; "
      "add.s32 %r14, %r13, %r0; mul.wide.s32 %rd1, %r14, 4; add.u64 %rd2, %rd0, %rd1; ";
  StaticResult result = checkOn(reversed + "st.global.u32 [%rd2], %r1;");
  expectDecision(Decision::Proved, InBlock, result);
  expectDecision(Decision::Proved, Between, result);
  // The neighbour's element.
  result = checkOn(reversed + "st.global.u32 [%rd2], %r1; ld.global.u32 %r5, [%rd2+4];");
  expectDecision(Decision::Violated, InBlock, result);
}

} // namespace
} // namespace heddle::check::test
