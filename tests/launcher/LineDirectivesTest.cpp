// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/LineDirectives.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::launcher;

namespace {

std::string withLines(const std::string &text, const std::vector<unsigned> &lines) {
  std::vector<source::LineOrigin> origins;
  for (unsigned line : lines)
    origins.push_back({"", line});
  return withLineDirectives(text, origins, "a.cu");
}

} // namespace

TEST(LineDirectives, LinesThatFollowEachOtherNeedOne) {
  EXPECT_EQ(withLines("a;\nb;\n", {1, 2, 3}), "#line 1 \"a.cu\"\na;\nb;\n");
}

TEST(LineDirectives, NewLinesGetTheNumberOfTheirOrigin) {
  EXPECT_EQ(withLines("a;\nx;\ny;\nb;", {1, 2, 2, 3}), "#line 1 \"a.cu\"\na;\nx;\n#line 2\ny;\nb;");
  EXPECT_EQ(withLines("b;\nc;\n", {2, 3, 4}), "#line 1 \"a.cu\"\n#line 2\nb;\nc;\n");
}

TEST(LineDirectives, AnIncludedFileIsNamed) {
  const std::vector<source::LineOrigin> origins = {{"", 1}, {"inc/k.h", 3}, {"inc/k.h", 4}, {"", 2}};
  EXPECT_EQ(
      withLineDirectives("a;\nk;\nl;\nb;", origins, "s \"p\"/a.cu"),
      "#line 1 \"s \\\"p\\\"/a.cu\"\na;\n#line 3 \"inc/k.h\"\nk;\nl;\n#line 2 \"s \\\"p\\\"/a.cu\"\nb;");
}

TEST(LineDirectives, NoneIsPutIntoATokenOrAContinuedLine) {
  EXPECT_EQ(withLines("/* a\nb\n*/\nc;", {1, 7, 8, 9}), "#line 1 \"a.cu\"\n/* a\nb\n*/\n#line 9\nc;");
  EXPECT_EQ(withLines("s = R\"(\nx\n)\";\nc;", {1, 7, 8, 9}),
            "#line 1 \"a.cu\"\ns = R\"(\nx\n)\";\n#line 9\nc;");
  EXPECT_EQ(withLines("#define A \\\n  x \\\n  y\nc;", {1, 7, 8, 9}),
            "#line 1 \"a.cu\"\n#define A \\\n  x \\\n  y\n#line 9\nc;");
}

TEST(LineDirectives, NoneIsPutAmongArguments) {
  EXPECT_EQ(withLines("f(a,\n  b\n);\nc;", {1, 7, 8, 9}), "#line 1 \"a.cu\"\nf(a,\n  b\n);\n#line 9\nc;");
  EXPECT_EQ(withLines("M({\n  b;\n});\nc;", {1, 1, 1, 1}), "#line 1 \"a.cu\"\nM({\n  b;\n});\n#line 1\nc;");
}

TEST(LineDirectives, ParenthesesOfOneBranchCountOnce) {
  EXPECT_EQ(withLines("#if A\nf(\n#else\ng(\n#endif\nx);\nc;", {1, 2, 3, 4, 5, 6, 9}),
            "#line 1 \"a.cu\"\n#if A\nf(\n#else\ng(\n#endif\nx);\n#line 9\nc;");
  // What is never compiled need not be balanced, nor hold tokens at all.
  EXPECT_EQ(withLines("#if 0\ndon't ((\n#endif\nc;", {1, 2, 3, 9}),
            "#line 1 \"a.cu\"\n#if 0\ndon't ((\n#endif\n#line 9\nc;");
}

TEST(LineDirectives, ParenthesesInDirectivesAndStringsDoNotCount) {
  EXPECT_EQ(withLines("#define OPEN (\nputs(\"(\"); // (\nc;", {1, 2, 9}),
            "#line 1 \"a.cu\"\n#define OPEN (\nputs(\"(\"); // (\n#line 9\nc;");
}
