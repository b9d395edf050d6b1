// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/coarsen/CoarsenCheck.h"

#include <gtest/gtest.h>

using namespace heddle::transform;

TEST(KeepsWarpsWhole, WhatTheMapDoesToLanes) {
  auto whole = [](std::array<int64_t, 3> block, std::vector<Axis> axes, Map map = Map::Interleaved) {
    return keepsWarpsWhole(block, axes, map);
  };
  EXPECT_TRUE(whole({128, 1, 1}, {{0, 2}}));
  EXPECT_TRUE(whole({128, 1, 1}, {{0, 4}}));
  EXPECT_FALSE(whole({128, 1, 1}, {{0, 8}}));
  EXPECT_FALSE(whole({128, 1, 1}, {{0, 2}}, Map::Blocked));
  EXPECT_TRUE(whole({32, 8, 1}, {{1, 8}}));
  EXPECT_TRUE(whole({32, 8, 1}, {{1, 4}}, Map::Blocked)); // rows are warps, and stay rows
  EXPECT_TRUE(whole({16, 16, 1}, {{1, 2}}));
  EXPECT_FALSE(whole({16, 16, 1}, {{0, 2}}));
  EXPECT_FALSE(whole({16, 16, 1}, {{1, 16}}));
}
