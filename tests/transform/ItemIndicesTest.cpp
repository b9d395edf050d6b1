// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/work/ItemIndices.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace heddle::transform;

namespace {

const NamedAxis grid = {{Axis::grid, 3}, "kb", "blockX"}, threads = {{0, 2}, "kx", "threadX"};
const GridForm passed = {"gridX", true};

} // namespace

TEST(ItemIndices, AGridThatIsNotFilledEndsTheLoopOverBlocksOnly) {
  const ItemIndices indices({grid, threads}, Map::Interleaved, std::nullopt, passed);
  EXPECT_EQ(indices.absence(grid), "blockX >= gridX");
  EXPECT_EQ(indices.absence(threads), std::nullopt);
  EXPECT_EQ(ItemIndices({grid, threads}, Map::Interleaved).absence(grid), std::nullopt);
}

TEST(ItemIndices, ItemsOfAThreadAreThoseThatExist) {
  EXPECT_EQ(ItemIndices({grid, threads}, Map::Interleaved).itemsOfThread(), "6");
  EXPECT_EQ(ItemIndices({grid}, Map::Interleaved, std::nullopt, passed).itemsOfThread(),
            "(gridX + gridDim.x - 1 - blockIdx.x) / gridDim.x");
  EXPECT_EQ(ItemIndices({grid}, Map::Blocked, std::nullopt, passed).itemsOfThread(),
            "min(3u, gridX - blockIdx.x * 3)");
  EXPECT_EQ(ItemIndices({grid, threads}, Map::Blocked, std::nullopt, GridForm{"7u"}).itemsOfThread(),
            "(min(3u, 7u - blockIdx.x * 3)) * (2)");
}

// The formulas above, and that every merged block has a first item.
TEST(ItemIndices, FormulasCountTheBlocksOfEveryGrid) {
  for (unsigned factor = 2; factor < 6; ++factor)
    for (unsigned blocks = 1; blocks < 40; ++blocks) {
      const unsigned merged = (blocks + factor - 1) / factor;
      for (unsigned block = 0; block < merged; ++block) {
        unsigned interleaved = 0, blocked = 0;
        for (unsigned k = 0; k < factor; ++k) {
          interleaved += block + k * merged < blocks;
          blocked += block * factor + k < blocks;
        }
        EXPECT_EQ((blocks + merged - 1 - block) / merged, interleaved);
        EXPECT_EQ(std::min(factor, blocks - block * factor), blocked);
        EXPECT_GE(std::min(interleaved, blocked), 1u);
      }
    }
}

TEST(ItemIndices, TheOriginalGridIsPassedOnAndReplacesGridDim) {
  const ItemIndices indices({grid}, Map::Interleaved, std::nullopt, passed);
  using heddle::analysis::ThreadBuiltin;
  EXPECT_EQ(indices.replacementFor({ThreadBuiltin::Kind::GridDim, 0}), "gridX");
  EXPECT_EQ(indices.replacementFor({ThreadBuiltin::Kind::GridDim, 1}), std::nullopt);
  ASSERT_EQ(indices.passed().size(), 2u);
  EXPECT_EQ(indices.passed()[1].declaration, "const unsigned gridX");
}
