// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/LineDiff.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::report {
namespace {

/// "-b", "+c"...: each line after its sign.
std::vector<std::string> shown(std::string_view before, std::string_view after, size_t context = 3) {
  std::vector<std::string> lines;
  for (const DiffLine &line : lineDiff(before, after, context))
    lines.push_back(char(line.kind) + line.text);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineDiff, ShowsRemovedAndAddedLinesInTheirPlace) {
  EXPECT_EQ(shown("a\nb\nc\n", "a\nx\nc\n"), (Lines{" a", "-b", "+x", " c"}));
  EXPECT_EQ(shown("a\n", "a\nb\n"), (Lines{" a", "+b"}));
  EXPECT_EQ(shown("a\nb\n", "b\n"), (Lines{"-a", " b"}));
  EXPECT_EQ(shown("", "a\n"), (Lines{"+a"}));
  EXPECT_EQ(shown("a\n", ""), (Lines{"-a"}));
}

TEST(LineDiff, IsEmptyForEqualTexts) { EXPECT_TRUE(lineDiff("a\nb\n", "a\nb\n").empty()); }

TEST(LineDiff, LeavesOutWhatIsFarFromAChange) {
  EXPECT_EQ(shown("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\nx\n", 1),
            (Lines{"@4 lines as before", " 5", "-6", "+x"}));
  EXPECT_EQ(shown("1\n2\n3\n", "x\n2\n3\n", 1), (Lines{"-1", "+x", " 2", "@1 line as before"}));
}

/// The lines of one side of a script.
std::string sideOf(const std::vector<DiffLine> &script, DiffLine::Kind other) {
  std::string text;
  for (const DiffLine &line : script)
    if (line.kind != other)
      text += line.text + "\n";
  return text;
}

/// The longest common subsequence, by the table of textbooks.
size_t commonLines(const std::string &a, const std::string &b) {
  std::vector<std::vector<size_t>> best(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < b.size(); ++j)
      best[i + 1][j + 1] = a[i] == b[j] ? best[i][j] + 1 : std::max(best[i][j + 1], best[i + 1][j]);
  return best[a.size()][b.size()];
}

TEST(LineDiff, RebuildsBothTextsAndIsAsShortAsCanBe) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::string letters[2], texts[2];
    for (int side = 0; side < 2; ++side)
      for (unsigned i = random() % 12; i > 0; --i) {
        letters[side] += char('a' + random() % 3);
        texts[side] += std::string(1, letters[side].back()) + "\n";
      }
    if (texts[0] == texts[1])
      continue;
    const std::vector<DiffLine> script = lineDiff(texts[0], texts[1], 100);
    EXPECT_EQ(sideOf(script, DiffLine::Kind::Added), texts[0]);
    EXPECT_EQ(sideOf(script, DiffLine::Kind::Removed), texts[1]);
    const auto same = std::count_if(script.begin(), script.end(),
                                    [](const DiffLine &line) { return line.kind == DiffLine::Kind::Same; });
    EXPECT_EQ(size_t(same), commonLines(letters[0], letters[1])) << letters[0] << " " << letters[1];
  }
}

} // namespace
} // namespace heddle::report
