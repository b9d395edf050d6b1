// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/Html.h"

#include "report/Highlight.h"
#include "report/SourceListing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle::report {
namespace {

using testing::HasSubstr;
using testing::Not;

HtmlPage page() {
  HtmlPage made;
  made.verb = "heddle analyze", made.title = "a<b>.cu", made.subtitle = "\"sm_90\"";
  made.add("scan<int, 4>", "<p>one</p>");
  made.add("Source", "<p>two</p>", 3);
  return made;
}

TEST(Html, APageNeedsNothingBesideIt) {
  const std::string text = page().html();
  for (const char *other : {"http", "<script", "url(", "@import", "src="})
    EXPECT_THAT(text, Not(HasSubstr(other)));
}

TEST(Html, NamesOfPeopleAreNoMarkup) {
  const std::string text = page().html();
  EXPECT_THAT(text, HasSubstr("<title>a&lt;b&gt;.cu - heddle analyze</title>"));
  EXPECT_THAT(text, HasSubstr("<h2 id=\"s1\">scan&lt;int, 4&gt;</h2>"));
  EXPECT_THAT(text, HasSubstr("&quot;sm_90&quot;"));
  EXPECT_THAT(cardsHtml({{"<l>", "<v>", "<d>"}}), Not(testing::ContainsRegex("<[lvd]>")));
  EXPECT_THAT(noteHtml("a < b"), HasSubstr("a &lt; b"));
  EXPECT_THAT(detailsHtml("<s>", ""), HasSubstr("&lt;s&gt;"));
}

TEST(Html, TheKeyboardCanSkipTheContents) {
  const std::string text = page().html();
  EXPECT_THAT(text, HasSubstr("<a class=\"skip\" href=\"#main\">"));
  EXPECT_THAT(text, HasSubstr("<main id=\"main\""));
  EXPECT_THAT(text, HasSubstr("<li class=\"l3\"><a href=\"#s2\">Source</a></li>"));
}

TEST(Html, TextsOfTablesAreEscapedAndNumbersAligned) {
  HtmlTable table;
  table.column("name", HtmlTable::Column::Code).column("n", HtmlTable::Column::Number);
  EXPECT_TRUE(table.empty());
  table.row({"a<b>", "12"}).spanningRow("c", "why & how", "failed");
  EXPECT_THAT(table.html(), HasSubstr("<td><code>a&lt;b&gt;</code></td><td class=\"n\">12</td>"));
  EXPECT_THAT(table.html(), HasSubstr("<td colspan=\"1\">why &amp; how</td>"));
}

TEST(Highlight, ColoursCommentsLiteralsKeywordsAndNumbers) {
  Highlighter code;
  EXPECT_EQ(code.line("if (a<1.5e-3f) x"),
            "<span class=\"hk\">if</span> (a&lt;<span class=\"hn\">1.5e-3f</span>) x");
  EXPECT_EQ(code.line("#include <a>"), "<span class=\"hk\">#include</span> &lt;a&gt;");
  EXPECT_EQ(
      code.line("s = \"a\\\"<\"; // <b>"),
      "s = <span class=\"hs\">&quot;a\\&quot;&lt;&quot;</span>; <span class=\"hc\">// &lt;b&gt;</span>");
  EXPECT_EQ(code.line("0xe+1"), "<span class=\"hn\">0xe</span>+<span class=\"hn\">1</span>");
}

TEST(Highlight, ACommentGoesOnOverLines) {
  Highlighter code;
  EXPECT_EQ(code.line("a /* b"), "a <span class=\"hc\">/* b</span>");
  EXPECT_EQ(code.line("int"), "<span class=\"hc\">int</span>");
  EXPECT_EQ(code.line("*/ int"), "<span class=\"hc\">*/</span> <span class=\"hk\">int</span>");
  EXPECT_EQ(code.line("/**/x"), "<span class=\"hc\">/**/</span>x");
}

Listing twentyLines() {
  Listing listing;
  listing.title = "a.cu";
  for (int i = 1; i <= 20; ++i)
    listing.lines.push_back("  line" + std::to_string(i) + ";");
  return listing;
}

TEST(SourceListing, ShowsWhatIsAskedForAndLinesAroundRemarks) {
  Listing listing = twentyLines();
  listing.shown = {{8, 9}};
  listing.remarks = {{18, Tone::Warn, "race", "a < b", true}};
  listing.context = 1;
  const std::string text = listingHtml(listing);
  EXPECT_THAT(text, HasSubstr("7 lines not shown"));
  EXPECT_THAT(text, HasSubstr("line8;"));
  EXPECT_THAT(text, Not(HasSubstr("line10;")));
  EXPECT_THAT(text, HasSubstr("line17;"));
  EXPECT_THAT(text, HasSubstr("<tr class=\"hit warn\"><td class=\"no\">18</td>"));
  EXPECT_THAT(text, HasSubstr("style=\"--i:2\"><li class=\"warn\"><b>race</b>: a &lt; b</li>"));
  EXPECT_THAT(text,
              HasSubstr("1 line not shown")); // the last: nothing follows for which it would be filled in
}

TEST(SourceListing, NumbersOfALineHaveTheirHeat) {
  Listing listing = twentyLines();
  listing.columns = {"entries"};
  listing.numbers[3] = {{"128", 0.5}};
  EXPECT_THAT(listingHtml(listing), HasSubstr("<td class=\"heat\" style=\"--h:0.50\">128</td>"));
}

TEST(SourceListing, ARemarkBeyondTheFileIsLeftOut) {
  Listing listing = twentyLines();
  listing.remarks = {{21, Tone::Bad, "x", "y"}, {0, Tone::Bad, "x", "y"}};
  EXPECT_THAT(listingHtml(listing), Not(HasSubstr("<b>x</b>")));
}

TEST(SourceListing, ChangesHaveTheLineNumbersOfBothTexts) {
  std::string before, after;
  for (int i = 1; i <= 20; ++i) {
    before += std::to_string(i) + "\n";
    after += (i == 12 ? "x<y" : std::to_string(i)) + "\n";
  }
  const std::string text = diffHtml(before, after, "t", "nothing");
  EXPECT_THAT(text, HasSubstr("8 lines unchanged"));
  EXPECT_THAT(text, HasSubstr("<tr class=\"hit del\"><td class=\"no\">12</td><td class=\"no\"></td>"));
  EXPECT_THAT(
      text,
      HasSubstr("<tr class=\"hit add\"><td class=\"no\"></td><td class=\"no\">12</td><td class=\"no\">+</td>"
                "<td class=\"src\">x&lt;y</td>"));
  EXPECT_THAT(diffHtml(before, before, "t", "nothing"), HasSubstr("nothing"));
}

TEST(SourceListing, TextsThatHaveNothingInCommonAreNotCompared) {
  std::string before, after;
  for (int i = 0; i < 4000; ++i)
    before += "a" + std::to_string(i) + "\n", after += "b" + std::to_string(i) + "\n";
  EXPECT_THAT(diffHtml(before, after, "t", ""), HasSubstr("at least 8000 lines"));
}

} // namespace
} // namespace heddle::report
