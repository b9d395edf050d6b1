// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/MappedText.h"

#include "source/TextEdits.h"

#include <gmock/gmock.h>

#include <random>

namespace heddle::source {
namespace {

using ::testing::ElementsAre;

TextEdit edit(unsigned begin, unsigned end, std::string text, std::vector<unsigned> origins = {}) {
  return {{}, begin, end, std::move(text), std::move(origins)};
}

TEST(MappedText, NewLinesComeFromTheLineOfTheirEdit) {
  //                         0  3   7
  const std::string text = "a;\nb;\nc;\n";
  EXPECT_THAT(applied({edit(3, 5, "x;\ny;\nz;")}, text, 0, 1).lines, ElementsAre(1, 2, 2, 2, 3, 4));
  EXPECT_THAT(applied({edit(5, 5, "\n\nnew;")}, text, 0, 1).lines, ElementsAre(1, 2, 2, 2, 3, 4));
  EXPECT_THAT(applied({edit(3, 3, "#pragma unroll\n")}, text, 0, 1).lines, ElementsAre(1, 2, 2, 3, 4));
  EXPECT_THAT(applied({edit(0, 6, "")}, text, 0, 1).lines, ElementsAre(3, 4));
}

TEST(MappedText, AnEditMaySayWhereItsLinesComeFrom) {
  const std::string text = "a;\nb;\nc;\n";
  EXPECT_THAT(applied({edit(0, 2, "{\nc;\n}", {1, 3, 0})}, text, 0, 1).lines, ElementsAre(1, 3, 1, 2, 3, 4));
}

TEST(MappedText, ChangesFollowEachOther) {
  MappedText text("a;\nb;\nc;");
  text.change(applied({edit(3, 5, "x;\ny;")}, text.str(), 0, 1)); // a x y c
  text.change(applied({edit(0, 3, "")}, text.str(), 0, 1));       // x y c
  EXPECT_EQ(text.str(), "x;\ny;\nc;");
  EXPECT_EQ(text.givenLine(1), 2u);
  EXPECT_EQ(text.givenLine(2), 2u);
  EXPECT_EQ(text.givenLine(3), 3u);
}

TEST(MappedText, ALineThatReadsAsItDidKeepsItsColumns) {
  MappedText text("a;\n  b = c;\n");
  text.change({"{\n      b = c;\n}\n", {1, 2, 2, 3}});
  const SourceLocation same = text.given({"f.cu", 2, 11, 12, "      b = c;"});
  EXPECT_EQ(same.line, 2u);
  EXPECT_EQ(same.column, 7u);
  EXPECT_EQ(same.sourceLine, "  b = c;");
  const SourceLocation other = text.given({"f.cu", 3, 1, 2, "}"});
  EXPECT_EQ(other.line, 2u);
  EXPECT_EQ(other.column, 3u);
  EXPECT_EQ(other.endColumn, 9u);
}

TEST(MappedText, LinesAreRemovedAndReplaced) {
  MappedText text("#include \"x\"\n#pragma heddle coarsen x=2\na;\n");
  MappedText last("a;\nb;");
  last.removeLine(2);
  EXPECT_EQ(last.str(), "a;\n");
  EXPECT_EQ(last.givenLine(2), 2u);
  text.removeLine(2);
  text.replaceLine(1, "// begin\nx;\n// end");
  EXPECT_EQ(text.str(), "// begin\nx;\n// end\na;\n");
  EXPECT_EQ(text.givenLine(2), 1u);
  EXPECT_EQ(text.givenLine(4), 3u);
}

TEST(MappedText, AnInsertedFileKeepsItsPlaces) {
  MappedText text("a;\n#include \"x.h\"\nb;");
  text.replaceLine(
      2, InsertedFile{"inc/x.h", "// begin\n  x;\ny;\n// end", {0, 2, 3, 0}, "#pragma once\nx;\ny;\n"});
  EXPECT_EQ(text.str(), "a;\n// begin\n  x;\ny;\n// end\nb;");
  EXPECT_THAT(text.lineOrigins(),
              ElementsAre(LineOrigin{"", 1}, LineOrigin{"", 2}, LineOrigin{"inc/x.h", 2},
                          LineOrigin{"inc/x.h", 3}, LineOrigin{"", 2}, LineOrigin{"", 3}));
  const SourceLocation inside = text.given({"f.cu", 3, 3, 4, "  x;"});
  EXPECT_EQ(inside.str(), "inc/x.h:2:1");
  EXPECT_EQ(inside.sourceLine, "x;");
  text.change({"x;\nnew;\n", {3, 3, 4}});
  EXPECT_THAT(text.lineOrigins(),
              ElementsAre(LineOrigin{"inc/x.h", 2}, LineOrigin{"inc/x.h", 2}, LineOrigin{"inc/x.h", 3}));
}

TEST(MappedText, ALineIsFollowed) {
  MappedText text("a;\r\nb;\r\nc;\r\n");
  text.follow(2);
  const MappedText before = text;
  text.change({"new;\na;\nx;\nb;\nc;\n", {1, 1, 1, 2, 3, 4}});
  EXPECT_EQ(text.followed(), 4u);
  text.replaceLine(1, "one;\ntwo;");
  EXPECT_EQ(text.followed(), 5u);
  EXPECT_EQ(before.followed(), 2u);
  EXPECT_EQ(before.given({"f.cu", 1, 1, 3, "a;"}).sourceLine, "a;");
}

/// Whatever is edited, and however often.
TEST(MappedText, EveryLineHasAnOrigin) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](unsigned limit) { return unsigned(random() % limit); };
  for (int round = 0; round < 300; ++round) {
    std::string text;
    const unsigned count = 1 + below(12);
    for (unsigned i = 1; i <= count; ++i)
      text += "line" + std::to_string(i) + ";" + (i < count ? "\n" : "");
    std::vector<TextEdit> edits;
    for (unsigned at = below(6); at < text.size(); at += 1 + below(20)) {
      const unsigned end = std::min(unsigned(text.size()), at + below(8));
      edits.push_back(edit(at, end, std::string(below(3), '\n') + std::string(below(3), 'x')));
      at = end;
    }
    const ChangedText now = applied(edits, text, 0, 1);
    ASSERT_EQ(now.lines.size(), size_t(std::ranges::count(now.text, '\n')) + 1);
    for (unsigned origin : now.lines)
      ASSERT_TRUE(origin >= 1 && origin <= count);
    if (edits.empty())
      for (unsigned i = 0; i < count; ++i)
        ASSERT_EQ(now.lines[i], i + 1);
  }
}

} // namespace
} // namespace heddle::source
