// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/SourceLines.h"

#include "check/ExpressionColumns.h"
#include "support/Paths.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace heddle::check {
namespace {

SourceLocation at(std::string file, unsigned line, std::string text = "") {
  return {std::move(file), line, 1, 0, std::move(text)};
}

/// A file of two lines, one of them with the line end of Windows.
struct SourceLines : testing::Test {
  SourceLines() { std::ofstream(file) << "first\r\nsecond\n"; }
  TemporaryFolder folder;
  std::string file = (folder.path() / "k.cu").string();
};

TEST_F(SourceLines, AreReadFromTheFileWhereTheFinderHadNone) {
  std::vector<Finding> list(1);
  list[0].location = at(file, 1);
  list[0].notes = {
      {at(file, 2, "known"), ""}, {at(file, 9), "beyond the end"}, {at("no/such/file.cu", 1), ""}};
  addSourceLines(list);
  EXPECT_EQ(list[0].location.sourceLine, "first");
  EXPECT_EQ(list[0].notes[0].location.sourceLine, "known");
  EXPECT_EQ(list[0].notes[1].location.sourceLine, "");
  EXPECT_EQ(list[0].notes[2].location.sourceLine, "");
}

TEST_F(SourceLines, OfReasonsAreReadToo) {
  StaticResult result;
  result.findings.resize(1);
  result.findings[0].location = at(file, 2);
  result.undecided.resize(1);
  result.undecided[0].location = at(file, 1);
  result.undecided[0].notes = {{at(file, 2), "because of this"}};
  addSourceLines(result);
  EXPECT_EQ(result.findings[0].location.sourceLine, "second");
  EXPECT_EQ(result.undecided[0].location.sourceLine, "first");
  EXPECT_EQ(result.undecided[0].notes[0].location.sourceLine, "second");
}

/// The columns of the expression that a line table's column is for: "begin-end", counted from 1; the caret in `marked` is the column.
std::string expressionAt(std::string marked) {
  const size_t caret = marked.find('^');
  marked.erase(caret, 1);
  SourceLocation location = {"k.cu", 1, unsigned(caret + 1), 0, marked};
  pointAtExpression(location);
  return location.endColumn ? marked.substr(location.column - 1, location.endColumn - location.column)
                            : fmt::format("at {}", location.column);
}

TEST(ExpressionColumns, OfAStoreAreThoseOfWhatIsAssigned) {
  EXPECT_EQ(expressionAt("  tile[i] ^= in[i];"), "tile[i]");
  EXPECT_EQ(expressionAt("  tile[f(i)][j - 1].x ^+= 2;"), "tile[f(i)][j - 1].x");
  EXPECT_EQ(expressionAt("\tp->next[0]^ = 1;"), "at 12"); // no operator
  EXPECT_EQ(expressionAt("\tp->next[0] ^<<= 1;"), "p->next[0]");
  EXPECT_EQ(expressionAt("  *p ^= 1;"), "*p");
  EXPECT_EQ(expressionAt("  (*p).x ^= 1;"), "(*p).x");
  EXPECT_EQ(expressionAt("  counts[i]^++;"), "counts[i]");
  EXPECT_EQ(expressionAt("^= in[i];"), "at 1"); // the rest is on another line
  EXPECT_EQ(expressionAt("      + 1] ^= x;"), "at 12");
}

TEST(ExpressionColumns, OfALoadReachToItsEnd) {
  EXPECT_EQ(expressionAt("  out[i] = ^tile[63 - i] + 1;"), "tile[63 - i]");
  EXPECT_EQ(expressionAt("  x = ^a.b->c[d[e]](f);"), "a.b->c[d[e]](f)");
  EXPECT_EQ(expressionAt("  if (^x == y)"), "x");
  EXPECT_EQ(expressionAt("  x = ^tile[i +"), "at 7"); // goes on in the next line
  EXPECT_EQ(expressionAt("  if (x ^== y)"), "at 9");
}

TEST(ExpressionColumns, AtTheBeginningOfAStatementAreNotKnown) {
  EXPECT_EQ(expressionAt("  ^out[i] = tile[63 - i];"), "at 3");
  EXPECT_EQ(expressionAt("^"), "at 1");
}

TEST(ExpressionColumns, ThatAreKnownStay) {
  SourceLocation location = {"k.cu", 1, 3, 6, "  out[i] = 1;"};
  pointAtExpression(location);
  EXPECT_EQ(location.column, 3u);
  EXPECT_EQ(location.endColumn, 6u);
}

} // namespace
} // namespace heddle::check
