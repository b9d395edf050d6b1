// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/TuneHtml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using testing::HasSubstr;
using testing::Not;

tune::Report::Entry entry(std::vector<std::string> defines, runner::Status status, double micros,
                          std::string reason = "") {
  tune::Report::Entry made;
  made.evaluation.configuration.defines = std::move(defines);
  made.evaluation.result.status = status;
  made.evaluation.result.micros = micros;
  made.evaluation.result.reason = std::move(reason);
  if (status == runner::Status::Measured)
    made.evaluation.result.kernels = {{.kernel = "k", .registers = 40, .spillBytes = 8, .occupancy = 62.5}};
  return made;
}

/// The baseline, one that is wrong, one that is faster.
tune::Report search() {
  tune::Report report;
  report.program = "a<b>.cu";
  report.device = "sm_90 (model)";
  report.spaceText = {"--define", "\"TILE=8|16|32\""};
  report.dimensions = {{"TILE", {"8", "16", "32"}}};
  report.spaceSize = 3;
  report.strategy = "exhaustive";
  report.entries = {entry({}, runner::Status::Measured, 12),
                    entry({"TILE=8"}, runner::Status::Wrong, 0, "copy 1 <differs>"),
                    entry({"TILE=32"}, runner::Status::Measured, 6)};
  report.entries[0].bestMicros = 12, report.entries[1].bestMicros = 12, report.entries[2].bestMicros = 6;
  report.best = 2;
  report.baselineText = "one\ntwo\n";
  report.winnerText = "one\nx < y\n";
  return report;
}

TEST(TuneHtml, NeedsNothingFromANetworkAndRunsNoScript) {
  const std::string page = tuneHtml(search());
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
}

TEST(TuneHtml, StatesTheSpeedUpTheWinnerAndWhatItNeeds) {
  const std::string page = tuneHtml(search());
  EXPECT_THAT(page,
              HasSubstr("<div class=\"value\">2.00x</div><div class=\"detail\">6 us, down from 12 us</div>"));
  EXPECT_THAT(page, HasSubstr("TILE=32"));
  EXPECT_THAT(page, HasSubstr("40 registers, 8 bytes spilled, 62 % occupancy"));
}

TEST(TuneHtml, DrawsEachCandidateThatWasMeasuredAndTheBestSoFar) {
  const std::string page = tuneHtml(search());
  EXPECT_THAT(page, HasSubstr("<g class=\"mark winner\""));
  EXPECT_THAT(page, HasSubstr("<g class=\"mark baseline\""));
  EXPECT_THAT(page, Not(HasSubstr("<g class=\"mark candidate\""))); // the third was not measured
  EXPECT_THAT(page, HasSubstr("path class=\"steps\""));
}

TEST(TuneHtml, NamesWhatWentWrongWithTheOthers) {
  EXPECT_THAT(tuneHtml(search()), HasSubstr("copy 1 &lt;differs&gt;"));
}

TEST(TuneHtml, ShowsTheWinnersChangesAsTextNotAsMarkup) {
  const std::string page = tuneHtml(search());
  EXPECT_THAT(page, HasSubstr("<td class=\"no\">-</td><td class=\"src\">two</td>"));
  EXPECT_THAT(page, HasSubstr("<td class=\"no\">+</td><td class=\"src\">x &lt; y</td>"));
  EXPECT_THAT(page, HasSubstr("a&lt;b&gt;.cu"));
}

TEST(TuneHtml, SaysThatTheBaselineFailsTheStaticCheck) {
  tune::Report report = search();
  EXPECT_THAT(tuneHtml(report), Not(HasSubstr("static check")));
  report.entries[0].evaluation.result.failsCheck = "line 3: a < b";
  EXPECT_THAT(tuneHtml(report),
              HasSubstr("the baseline fails the static check: line 3: a &lt; b; candidates"));
}

TEST(TuneHtml, SaysWhenTimesAreAPrediction) {
  tune::Report report = search();
  EXPECT_THAT(tuneHtml(report), Not(HasSubstr("predicted")));
  report.predicted = true;
  EXPECT_THAT(tuneHtml(report), HasSubstr("predicted by the cost model: no GPU was measured"));
}

/// The ticks of the axis below the first chart.
std::string ticksOf(const std::string &page) {
  std::string found;
  const size_t end = page.find("</svg>");
  for (size_t at = 0; (at = page.find("<text class=\"x\"", at)) < end; ++at) {
    const size_t begin = page.find('>', at) + 1;
    found += page.substr(begin, page.find('<', begin) - begin) + " ";
  }
  return found;
}

TEST(TuneHtml, TheAxisOfCandidatesCountsThem) { EXPECT_EQ(ticksOf(tuneHtml(search())), "1 2 3 "); }

TEST(TuneHtml, TheLegendHasTheMarksOfTheChart) {
  const std::string page = tuneHtml(search());
  EXPECT_THAT(page, HasSubstr("</svg>winner</li>"));
  EXPECT_THAT(page, HasSubstr("</svg>baseline</li>"));
  EXPECT_THAT(page, HasSubstr("</svg>best so far</li>"));
  EXPECT_THAT(page, Not(HasSubstr("</svg>candidate</li>"))); // none but the winner was measured
}

TEST(TuneHtml, WhereTheBaselineWinsTheLegendSaysSo) {
  tune::Report report = search();
  report.entries[2].evaluation.result.micros = 24;
  report.entries[2].bestMicros = 12;
  report.best = 0;
  const std::string page = tuneHtml(report);
  EXPECT_THAT(page, HasSubstr("no candidate beat the baseline: 12 us"));
  EXPECT_THAT(page, HasSubstr("<g class=\"mark baseline winner\""));
  EXPECT_THAT(page, HasSubstr("</svg>baseline, the fastest</li>"));
  EXPECT_THAT(page, HasSubstr("</svg>candidate</li>"));
  EXPECT_THAT(page, Not(HasSubstr("</svg>winner</li>")));
  EXPECT_THAT(page, Not(HasSubstr("down from")));
}

TEST(TuneHtml, ASearchWithoutAWinnerIsShownAsOne) {
  tune::Report report = search();
  report.best.reset();
  report.winnerText.clear();
  EXPECT_THAT(tuneHtml(report), HasSubstr("none: nothing could be measured"));
}

} // namespace
} // namespace heddle::report
