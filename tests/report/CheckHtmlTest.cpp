// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/CheckHtml.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using check::Finding;
using testing::HasSubstr;
using testing::Not;

class CheckHtml : public testing::Test {
protected:
  CheckHtml() {
    file = (folder.path() / "a.cu").string();
    std::string text;
    for (int i = 1; i <= 40; ++i)
      text += "line" + std::to_string(i) + "<x>;\n";
    writeFileOrThrow(file, text);
  }
  Finding race() const {
    Finding finding;
    finding.rule = check::Rule::RaceShared;
    finding.kernel = "blur<4>";
    finding.location = {file, 14, 9};
    finding.text = "thread 0 writes 'tile[1]', which thread 33 reads";
    finding.notes = {{{file, 27, 3}, "read here by thread 33"}};
    finding.hint = "put __syncthreads() between the two";
    finding.times = 3;
    return finding;
  }
  TemporaryFolder folder;
  std::string file;
};

TEST_F(CheckHtml, ShowsBothSidesOfARaceInTheSource) {
  CheckResultPage page{"a.cu", "run", {}, {}, {race()}, {}};
  const std::string text = checkHtml(page);
  EXPECT_THAT(text, HasSubstr("1 finding"));
  EXPECT_THAT(
      text,
      HasSubstr("<tr class=\"hit bad\"><td class=\"no\">14</td><td class=\"src\">line14&lt;x&gt;;</td>"));
  EXPECT_THAT(text, HasSubstr("<b>race/shared</b>: thread 0 writes"));
  EXPECT_THAT(text, HasSubstr("<tr class=\"hit bad\"><td class=\"no\">27</td>"));
  EXPECT_THAT(text, HasSubstr("<b>the other side</b>: read here by thread 33"));
  EXPECT_THAT(text, HasSubstr("kernel blur&lt;4&gt;, seen 3 times"));
  EXPECT_THAT(text, HasSubstr("Hint: put __syncthreads() between the two"));
  EXPECT_THAT(text, Not(HasSubstr("line1&lt;x&gt;;"))); // far from both
}

TEST_F(CheckHtml, AFindingWithoutALineIsTextAlone) {
  Finding finding = race();
  finding.location = {}, finding.notes = {{{}, "warp 0 waits for barrier 1"}};
  EXPECT_THAT(checkHtml({"a.cu", "run", {}, {}, {finding}, {}}),
              HasSubstr("<p>warp 0 waits for barrier 1</p>"));
}

TEST_F(CheckHtml, CleanIsReportedOnlyWhereEverythingWasChecked) {
  EXPECT_THAT(checkHtml({"a.cu", "run", {}, {}, {}, {}}), HasSubstr(">clean<"));
  const std::string text = checkHtml({"a.cu", "run", {}, {"The program ended early."}, {}, {}});
  EXPECT_THAT(text, Not(HasSubstr(">clean<")));
  EXPECT_THAT(text, HasSubstr("The program ended early."));
}

TEST_F(CheckHtml, EachPropertyOfAStaticVerdictIsShown) {
  KernelVerdict verdict{"scan<int>", {}};
  for (unsigned i = 0; i < check::Properties; ++i)
    verdict.result.properties.push_back({check::Property(i), check::Decision::Proved, "", {}});
  verdict.result.properties[4].decision = check::Decision::Undecided;
  verdict.result.properties[4].why = "a loop depends on n < m";
  verdict.result.undecided.push_back(
      {{file, 20, 1}, "the bound of this loop", {}, "--param n=4", check::AllProperties});
  verdict.result.verdict = check::Verdict::Undecided;
  const std::string text = checkHtml({"a.cu", "static", {}, {}, {}, {verdict}});
  EXPECT_THAT(text, HasSubstr("scan&lt;int&gt;"));
  EXPECT_THAT(text, HasSubstr("<span class=\"tag good\">proved</span>"));
  EXPECT_THAT(text, HasSubstr("<span class=\"tag warn\">undecided</span>"));
  EXPECT_THAT(text, HasSubstr("a loop depends on n &lt; m"));
  EXPECT_THAT(text, HasSubstr("<b>undecided</b>: the bound of this loop"));
}

} // namespace
} // namespace heddle::report
