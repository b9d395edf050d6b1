// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Belief.h"

#include <gtest/gtest.h>

using namespace heddle::tune;

namespace {

const std::vector<Dimension> dimensions = {{"x", {"1", "2", "4"}}, {"map", {"interleaved", "blocked"}}};

TEST(Belief, KnowsNothingBeforeAnythingWasMeasured) {
  Belief belief(dimensions, 0.3);
  EXPECT_EQ(belief.of({0, 0}).mean, 0);
  EXPECT_GT(belief.of({0, 0}).deviation, 9) << "a model may be off by any factor";
}

TEST(Belief, WhatIsCommonIsLearnedFromOne) {
  Belief belief(dimensions, 0.3);
  belief.observe({0, 0}, 2);
  EXPECT_NEAR(belief.of({2, 1}).mean, 2, 0.02);
  EXPECT_LT(belief.of({2, 1}).deviation, 1);
}

TEST(Belief, AValueThatErredErrsInOtherCompanyToo) {
  Belief belief(dimensions, 0.3);
  belief.observe({0, 0}, 0);
  belief.observe({0, 1}, 0.5);
  EXPECT_GT(belief.of({1, 1}).mean, belief.of({1, 0}).mean + 0.2);
}

TEST(Belief, ValuesThatWereNotSeenAreLessCertain) {
  Belief belief(dimensions, 0.3);
  belief.observe({0, 0}, 0);
  belief.observe({0, 1}, 0);
  EXPECT_GT(belief.of({1, 0}).deviation, belief.of({0, 0}).deviation + 0.1);
}

TEST(Belief, LearnsSumsOfParts) {
  Belief belief(dimensions, 0.5);
  auto truth = [](const Point &point) { return 1 + 0.4 * double(point[0]) - 0.7 * double(point[1]); };
  for (size_t x = 0; x < 3; ++x)
    for (size_t map = 0; map < 2; ++map)
      if (x != 2 || map != 1)
        belief.observe({x, map}, truth({x, map}));
  EXPECT_NEAR(belief.of({2, 1}).mean, truth({2, 1}), 0.1) << "of company that was never seen";
}

} // namespace
