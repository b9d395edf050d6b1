// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Svg, TicksAreRoundNumbers) {
  EXPECT_THAT(ticks(-3, 97, 5, false), ElementsAre(0, 20, 40, 60, 80));
  EXPECT_THAT(ticks(0.9, 120, 5, true), ElementsAre(1, 2, 5, 10, 20, 50, 100));
  EXPECT_TRUE(ticks(1, 1, 5, false).empty());
}

TEST(Svg, ManyDecadesMakeTheHeightLogarithmic) {
  Chart chart{"n", "us", {{1, 1, "a", ""}, {2, 500, "a", ""}}, {}};
  EXPECT_THAT(svg(chart), HasSubstr("us, logarithmic"));
  chart.points[1].y = 5;
  EXPECT_THAT(svg(chart), Not(HasSubstr("logarithmic")));
}

TEST(Svg, TextOfPeopleIsNoMarkup) {
  const Chart chart{"n", "us", {{1, 1, "a", "x<y & \"z\""}}, {}};
  EXPECT_THAT(svg(chart), HasSubstr("<title>x&lt;y &amp; &quot;z&quot;</title>"));
}

TEST(Svg, AChartOfNothingIsStillAChart) { EXPECT_THAT(svg(Chart{"n", "us", {}, {}}), HasSubstr("</svg>")); }

} // namespace
} // namespace heddle::report
