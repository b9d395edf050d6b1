// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/consolidate/WarpBlock.h"

#include <gtest/gtest.h>

using namespace heddle::transform;

namespace {

using Shape = std::array<unsigned, 3>;

Shape lanesOf(std::array<int64_t, 3> block) { return evenLanes(block).value_or(Shape{}); }

} // namespace

TEST(WarpBlock, BlocksOfWholeWarpsKeepTheShapeOfTheirFirst) {
  EXPECT_EQ(lanesOf({256, 1, 1}), (Shape{32, 1, 1}));
  EXPECT_EQ(lanesOf({16, 16, 1}), (Shape{16, 2, 1}));
  EXPECT_EQ(lanesOf({8, 4, 4}), (Shape{8, 4, 1}));
  EXPECT_EQ(lanesOf({64, 4, 1}), (Shape{32, 1, 1}));
  EXPECT_EQ(lanesOf({4, 2, 8}), (Shape{4, 2, 4}));
  EXPECT_EQ(lanesOf({48, 1, 1}), Shape{});
  EXPECT_EQ(lanesOf({12, 8, 1}), Shape{});
  EXPECT_EQ(lanesOf({8, 2, 1}), Shape{});
}
