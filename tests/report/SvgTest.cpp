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

TEST(Svg, TicksOfCountsAreIntegers) {
  EXPECT_THAT(integerTicks(0.8, 3.2, 8), ElementsAre(1, 2, 3));
  EXPECT_THAT(integerTicks(-2, 33, 8), ElementsAre(0, 5, 10, 15, 20, 25, 30));
}

TEST(Svg, ManyDecadesHaveATickEach) {
  EXPECT_THAT(ticks(0.05, 2000, 5, true), ElementsAre(0.1, 1, 10, 100, 1000));
}

TEST(Svg, AKeyboardReachesTheProminentMarks) {
  Chart chart{"n", "us", {{0, 1, "winner", "w"}}, {}};
  for (int i = 1; i < 100; ++i)
    chart.points.push_back({double(i), 1, "candidate", "c"});
  const std::string many = svg(chart);
  EXPECT_THAT(many, HasSubstr("aria-label=\"w\" tabindex=\"0\""));
  EXPECT_THAT(many, Not(HasSubstr("aria-label=\"c\" tabindex=\"0\"")));
  chart.points.resize(10);
  EXPECT_THAT(svg(chart), HasSubstr("aria-label=\"c\" tabindex=\"0\""));
}

TEST(Svg, ManyDecadesMakeTheHeightLogarithmic) {
  Chart chart{"n", "us", {{1, 1, "a", ""}, {2, 500, "a", ""}}, {}};
  EXPECT_THAT(svg(chart), HasSubstr("us, logarithmic"));
  chart.points[1].y = 5;
  EXPECT_THAT(svg(chart), Not(HasSubstr("logarithmic")));
}

TEST(Svg, TextOfPeopleIsNoMarkup) {
  const Chart chart{"n", "us", {{1, 1, "a", "x<y & \"z\""}}, {}};
  EXPECT_THAT(svg(chart), HasSubstr("aria-label=\"x&lt;y &amp; &quot;z&quot;\""));
  EXPECT_THAT(svg(chart), HasSubstr(">x&lt;y &amp; &quot;z&quot;</text>"));
  EXPECT_THAT(svg(chart), Not(HasSubstr("x<y")));
}

TEST(Svg, APointAndAHollowOneInTheSamePlaceAreBothSeen) {
  const std::string both = svg(Chart{"n", "us", {{1, 1, "point", "p"}, {1, 1, "hollow", "h"}}, {}});
  EXPECT_THAT(both, HasSubstr("r=\"4\"/>"));
  EXPECT_THAT(both, HasSubstr("r=\"6\"/>"));
}

TEST(Svg, AChartOfNothingIsStillAChart) { EXPECT_THAT(svg(Chart{"n", "us", {}, {}}), HasSubstr("</svg>")); }

} // namespace
} // namespace heddle::report
