// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ptx/Cfg.h"

#include "Helpers.h"

#include <gmock/gmock.h>

#include <random>

using namespace heddle;
using namespace heddle::ptx;
using namespace heddle::ptx::test;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

Function functionOf(const std::string &statements) {
  Module m = parseGood(kernel(statements));
  return m.functions[m.findFunction("k")];
}

/// Where every way from `from` to the end must pass first, by definition: the nearest block without which the
/// end is out of reach. Nothing clever, so that it can check the clever one.
uint32_t ipdomBySearch(const Function &f, uint32_t from) {
  auto reachesEnd = [&](uint32_t start, uint32_t without) {
    std::vector<bool> seen(f.blocks.size(), false);
    std::vector<uint32_t> work{start};
    while (!work.empty()) {
      uint32_t b = work.back();
      work.pop_back();
      if (b == without || seen[b])
        continue;
      seen[b] = true;
      if (f.blocks[b].leaves)
        return true;
      work.insert(work.end(), f.blocks[b].succs.begin(), f.blocks[b].succs.end());
    }
    return false;
  };
  std::vector<uint32_t> postDominators;
  for (uint32_t b = 0; b < f.blocks.size(); ++b)
    if (b != from && !reachesEnd(from, b))
      postDominators.push_back(b);
  // The nearest is the one that all others post-dominate too.
  for (uint32_t candidate : postDominators) {
    bool isNearest = true;
    for (uint32_t other : postDominators)
      isNearest &= other == candidate || !reachesEnd(candidate, other);
    if (isNearest)
      return candidate;
  }
  return kNone;
}

bool everyBlockReachesTheEnd(const Function &f) {
  std::vector<bool> seen(f.blocks.size(), false);
  std::vector<uint32_t> work;
  for (uint32_t b = 0; b < f.blocks.size(); ++b)
    if (f.blocks[b].leaves)
      work.push_back(b);
  while (!work.empty()) {
    uint32_t b = work.back();
    work.pop_back();
    if (seen[b])
      continue;
    seen[b] = true;
    work.insert(work.end(), f.blocks[b].preds.begin(), f.blocks[b].preds.end());
  }
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

} // namespace

TEST(Cfg, StraightCodeIsOneBlock) {
  Function f = functionOf("mov.b32 %r1, 1;\n bar.sync 0;\n call callee;");
  ASSERT_EQ(f.blocks.size(), 1u);
  EXPECT_TRUE(f.blocks[0].leaves);
  EXPECT_THAT(f.blocks[0].succs, IsEmpty());
  EXPECT_EQ(f.blocks[0].ipdom, kNone);
}

TEST(Cfg, AnIfReconvergesAtItsJoin) {
  Function f = functionOf(
      "@%p1 bra Else;\n mov.b32 %r1, 1;\n bra Join;\n Else: mov.b32 %r1, 2;\n Join: mov.b32 %r2, %r1;");
  ASSERT_EQ(f.blocks.size(), 4u);
  EXPECT_THAT(f.blocks[0].succs, ElementsAre(1, 2));
  EXPECT_EQ(f.blocks[0].ipdom, 3u);
  EXPECT_EQ(f.blocks[1].ipdom, 3u);
  EXPECT_THAT(f.blocks[3].preds, testing::UnorderedElementsAre(1, 2));
}

TEST(Cfg, AGuardedReturnGoesOnOrLeaves) {
  Function f = functionOf("@%p1 ret;\n mov.b32 %r1, 1;");
  ASSERT_EQ(f.blocks.size(), 2u);
  EXPECT_TRUE(f.blocks[0].leaves);
  EXPECT_THAT(f.blocks[0].succs, ElementsAre(1));
  EXPECT_EQ(f.blocks[0].ipdom, kNone) << "lanes that return never come to the next block";
}

TEST(Cfg, AGuardedCallDoesNotEndABlock) {
  EXPECT_EQ(functionOf("@%p1 call callee;\n mov.b32 %r1, 1;").blocks.size(), 1u);
}

TEST(Cfg, ALoopExitReconvergesAfterTheLoop) {
  Function f = functionOf("Top: add.s32 %r1, %r1, 1;\n @%p1 bra Top;\n mov.b32 %r2, 1;");
  ASSERT_EQ(f.blocks.size(), 2u);
  EXPECT_THAT(f.blocks[0].succs, ElementsAre(1, 0));
  EXPECT_EQ(f.blocks[0].ipdom, 1u);
}

TEST(Cfg, IndexedBranchesGoToEachTargetOnce) {
  Function f = functionOf(
      "T: .branchtargets A, B, A;\n brx.idx %r1, T;\n A: bra C;\n B: mov.b32 %r1, 1;\n C: mov.b32 %r1, 2;");
  EXPECT_THAT(f.blocks[0].succs, ElementsAre(1, 2));
  EXPECT_EQ(f.blocks[0].ipdom, 3u);
}

TEST(Cfg, BranchesInsideAnEndlessLoopStillReconverge) {
  Function f = functionOf("Top: @%p1 bra Else;\n mov.b32 %r1, 1;\n bra Join;\n Else: mov.b32 %r1, 2;\n Join: "
                          "mov.b32 %r1, 3;\n bra Top;");
  uint32_t branch = f.blockOf[0], join = f.blockOf[4];
  EXPECT_EQ(f.blocks[branch].ipdom, join);
}

TEST(Cfg, PostDominatorsAgreeWithTheirDefinitionOnRandomGraphs) {
  unsigned checked = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    unsigned n = 2 + random() % 14;
    std::string text;
    for (unsigned i = 0; i < n; ++i) {
      text += fmt::format("L{}: mov.b32 %r1, {};\n", i, i);
      unsigned kind = random() % 5;
      if (kind < 3)
        text += fmt::format("{}bra L{};\n", kind == 0 ? "" : "@%p1 ", random() % n);
      else if (kind == 3 && random() % 4 == 0)
        text += "@%p1 exit;\n";
    }
    Function f = functionOf(text);
    if (!everyBlockReachesTheEnd(f))
      continue;
    ++checked;
    for (uint32_t b = 0; b < f.blocks.size(); ++b)
      ASSERT_EQ(f.blocks[b].ipdom, ipdomBySearch(f, b)) << "seed " << seed << ", block " << b << "\n" << text;
  }
  EXPECT_GT(checked, 50u);
}

TEST(Cfg, ALongFunctionIsNoTrouble) {
  std::string text;
  for (unsigned i = 0; i < 20000; ++i)
    text += fmt::format("@%p1 bra L{0}; mov.b32 %r1, {0}; L{0}: ", i);
  Function f = functionOf(text);
  EXPECT_EQ(f.blocks.size(), 40001u);
  EXPECT_EQ(f.blocks[0].ipdom, 2u);
}
