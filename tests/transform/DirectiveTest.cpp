// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/Directive.h"

#include "transform/Pragmas.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::transform;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

std::vector<Directive> read(const std::string &text) {
  Diagnostics diagnostics;
  return readDirectives(text, diagnostics);
}

Diagnostic complaint(const std::string &text) {
  Diagnostics diagnostics;
  EXPECT_TRUE(readDirectives(text, diagnostics).empty());
  return diagnostics.empty() ? Diagnostic() : diagnostics.all().front();
}

} // namespace

TEST(Directive, SettingsAreReadAndTheRestHaveDefaults) {
  Directive directive = read("coarsen x=2 map=blocked").at(0);
  EXPECT_EQ(directive.name, "coarsen");
  EXPECT_EQ(directive.number("x"), 2);
  EXPECT_EQ(directive.number("y"), 1);
  EXPECT_EQ(directive.word("map"), "blocked");
  EXPECT_EQ(directive.str(), "coarsen x=2 map=blocked");
}

TEST(Directive, SpacesAroundTheEqualsSignAsAFormatterPutsThemAreNoMatter) {
  for (const char *text : {"coarsen x = 2 map = blocked", "coarsen x =2 map= blocked"})
    EXPECT_EQ(read(text).at(0).str(), "coarsen x=2 map=blocked") << text;
  EXPECT_EQ(complaint("coarsen x = ").text, "'x' needs a value");
  EXPECT_EQ(complaint("coarsen x= y=2").text, "'x' needs a value");
  EXPECT_EQ(complaint("= 2").text, "there is no directive '=2'");
  Diagnostic wrong = complaint("coarsen x = two");
  EXPECT_EQ(wrong.text, "'two' is not a value that 'x' takes");
  EXPECT_EQ(wrong.location.column, 9u);
}

TEST(Directive, SemicolonsSeparateSeveralInTheOrderGiven) {
  std::vector<Directive> list = read("coarsen x=2; coarsen y=4");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].str(), "coarsen x=2");
  EXPECT_EQ(list[1].str(), "coarsen y=4");
}

TEST(Directive, AlternativesAreKeptAndExpandedInOrder) {
  Directive space = read("coarsen x=1|2 map=interleaved|blocked").at(0);
  EXPECT_TRUE(space.hasAlternatives());
  EXPECT_EQ(space.str(), "coarsen x=1|2 map=interleaved|blocked");
  std::vector<std::string> all;
  for (const Directive &each : space.expanded())
    all.push_back(each.str());
  EXPECT_THAT(all, ElementsAre("coarsen x=1 map=interleaved", "coarsen x=1 map=blocked",
                               "coarsen x=2 map=interleaved", "coarsen x=2 map=blocked"));
}

TEST(Directive, AnExpressionIsOneWordAsFarAsItsBracketsReachAndHasNoAlternatives) {
  const Directive directive = read("regroup by=(first[i + 1] | 1) via=layout").front();
  EXPECT_EQ(directive.word("by"), "(first[i + 1] | 1)");
  EXPECT_EQ(directive.word("via"), "layout");
  EXPECT_FALSE(directive.hasAlternatives());
  EXPECT_EQ(directive.str(), "regroup by=(first[i + 1] | 1) via=layout");
  EXPECT_EQ(complaint("regroup by=").hint, "by=EXPRESSION, without spaces outside of brackets");
}

TEST(Directive, SpacesInAnExpressionAreReportedOnce) {
  Diagnostics diagnostics;
  readDirectives("regroup by=start[i] + 1 via=layout", {"<command line>", 1, 1}, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].text, "'+' follows the expression of 'by' after a space");
  EXPECT_EQ(diagnostics.all()[0].hint,
            "an expression has no spaces outside of brackets: by=start[i]+1 or by=(start[i] + 1)");
  EXPECT_EQ(complaint("regroup vial=layout").text, "'regroup' takes no 'vial'");
}

TEST(Directive, AnUnknownNameGetsTheNearestOne) {
  Diagnostic wrong = complaint("coarse x=2");
  EXPECT_EQ(wrong.text, "there is no directive 'coarse'");
  EXPECT_EQ(wrong.hint, "did you mean 'coarsen'?");
  EXPECT_EQ(wrong.location.column, 1u);
}

TEST(Directive, ABlockSizeIsPointedToTune) {
  EXPECT_EQ(complaint("block x=64").hint, "only 'heddle tune' varies block sizes: -d \"block x=64|128\"");
}

TEST(Directive, AnUnknownSettingPointsAtItsLocationAndNamesTheOthers) {
  Diagnostic wrong = complaint("coarsen x=2 mapp=blocked");
  EXPECT_EQ(wrong.text, "'coarsen' takes no 'mapp'");
  EXPECT_THAT(wrong.hint, HasSubstr("map"));
  EXPECT_EQ(wrong.location.column, 13u);
  EXPECT_EQ(wrong.location.endColumn, 25u);
}

TEST(Directive, AValueThatIsNotAllowedIsNamed) {
  EXPECT_EQ(complaint("coarsen x=two").text, "'two' is not a value that 'x' takes");
  EXPECT_EQ(complaint("coarsen x=0").text, "'0' is not a value that 'x' takes");
  EXPECT_EQ(complaint("coarsen x=2 x=4").text, "'x' is given twice");
  EXPECT_EQ(complaint("coarsen x").text, "'x' needs a value");
  EXPECT_EQ(complaint("coarsen map=zigzag").hint, "map=interleaved|blocked");
  EXPECT_EQ(complaint("  ").text, "there is no directive here");
}

TEST(Pragmas, TheFirstLineIsFoundWithItsLocation) {
  auto pragma = firstPragma("a.cu", "int a;\n  # pragma heddle coarsen x=2 \nint b;\n");
  ASSERT_TRUE(pragma);
  EXPECT_EQ(pragma->line, 2u);
  EXPECT_EQ(pragma->text, " coarsen x=2");
  EXPECT_EQ(pragma->location.column, 18u);
  EXPECT_EQ(pragma->lines, 1u);
}

TEST(Pragmas, CommentsBehindADirectiveAreNoPartOfIt) {
  EXPECT_EQ(firstPragma("a.cu", "#pragma heddle coarsen x=2 // each\nint a;\n")->text, " coarsen x=2");
  EXPECT_EQ(firstPragma("a.cu", "#pragma heddle coarsen /* y */ x=2\nint a;\n")->text,
            " coarsen         x=2");
  EXPECT_EQ(firstPragma("a.cu", "#pragma heddle fuse // as in src/*.cu\nint a; /* b */\n")->lines, 1u);
  auto overLines = firstPragma("a.cu", "#pragma heddle fuse /* the\n next */\nint a;\n");
  ASSERT_TRUE(overLines);
  EXPECT_EQ(overLines->text, " fuse");
  EXPECT_EQ(overLines->lines, 2u);
}

TEST(Pragmas, ABackslashContinuesALine) {
  auto pragma = firstPragma("a.cu", "int a;\n#pragma heddle coarsen \\\n  x=2 \\\n  y=4\nint b;\n");
  ASSERT_TRUE(pragma);
  EXPECT_EQ(pragma->line, 2u);
  EXPECT_EQ(pragma->lines, 3u);
  Diagnostics diagnostics;
  std::vector<Directive> read = readDirectives(pragma->text, pragma->location, diagnostics);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].str(), "coarsen x=2 y=4");
}

TEST(Pragmas, CommentsAndStringsHoldNone) {
  EXPECT_FALSE(
      firstPragma("a.cu", "/*\n#pragma heddle coarsen\n*/ const char *s = R\"(\n#pragma heddle x\n)\";\n"));
  EXPECT_FALSE(firstPragma("a.cu", "#pragma unroll\n#pragma once\n"));
}
