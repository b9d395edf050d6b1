// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Code.h"

#include <gmock/gmock.h>

namespace heddle::source {
namespace {

using testing::ElementsAre;

std::vector<unsigned> originsOf(const Code &code) { return code.at("").origins; }

TEST(Code, HasNoDepthUntilItIsPlaced) {
  const Code body = Code("a;").add("b;");
  const Code loop = Code::braces("for (;;)", body);
  EXPECT_EQ(loop.lines(""), "for (;;) {\n  a;\n  b;\n}\n");
  EXPECT_EQ(loop.str("    "), "for (;;) {\n      a;\n      b;\n    }");
  EXPECT_EQ(Code::braces({}, body, "\t").str(), "{\n\ta;\n\tb;\n}");
}

TEST(Code, KeepsTheUsersOwnLayout) {
  const Code call = Code::written({"f(a,\n      b);", {7, 8}}, "    ");
  EXPECT_EQ(call.str("  "), "f(a,\n    b);");
  EXPECT_THAT(originsOf(call), ElementsAre(7, 8));
}

TEST(Code, ALineWithLessIndentationKeepsItsDistance) {
  const Code labelled = Code::written({"x = 1;\n  out:\n    y = 2;", {}}, "    ");
  EXPECT_EQ(labelled.str("    "), "x = 1;\n  out:\n    y = 2;");
  EXPECT_EQ(labelled.str("      "), "x = 1;\n    out:\n      y = 2;");
  EXPECT_EQ(labelled.deeper("  ").str("    "), "  x = 1;\n    out:\n      y = 2;");
  EXPECT_EQ(Code("case 1:").shallower(2).lines("    "), "  case 1:\n");
}

TEST(Code, DoesNotTouchWhatIsInsideStrings) {
  const Code raw = Code::written({"puts(R\"(a\n  b\n)\");\n  x;", {}}, "  ");
  EXPECT_EQ(raw.deeper("    ").str("  "), "    puts(R\"(a\n  b\n)\");\n      x;");
  const Code continued = Code::written({"puts(\"a\\\n  b\");", {}}, "  ");
  EXPECT_EQ(continued.deeper().str("  "), "  puts(\"a\\\n  b\");");
  const Code windows = Code::written({"puts(\"a\\\r\n  b\");\r", {}}, "  ");
  EXPECT_EQ(windows.deeper().str("  "), "  puts(\"a\\\r\n  b\");\r");
  // What only looks like one.
  const Code commented = Code::written({"x; // R\"(\n  y; /* \" */\n  z = '\"';\n  w = 1'000;", {}}, "  ");
  EXPECT_EQ(commented.str(""), "x; // R\"(\ny; /* \" */\nz = '\"';\nw = 1'000;");
}

TEST(Code, DirectivesAtTheLinesBeginningStayThere) {
  const Code lines = Code::writtenLines("  // why\n#pragma unroll\n  #pragma nounroll\n\n", "  ", 3);
  EXPECT_EQ(lines.lines("      "), "      // why\n#pragma unroll\n      #pragma nounroll\n\n");
  EXPECT_EQ(lines.pragmas().lines(""), "#pragma unroll\n#pragma nounroll\n");
  EXPECT_EQ(lines.withoutPragmas().lines(""), "// why\n\n");
  EXPECT_THAT(originsOf(lines), ElementsAre(3, 4, 5, 6));
  const Code continued = Code("a;\n#pragma unroll \\\n  4");
  EXPECT_EQ(continued.withoutPragmas().str(), "a;");
  EXPECT_EQ(Code(continued).takePragmasAtEnd().str(), "#pragma unroll \\\n  4");
}

TEST(Code, JoinsTheEndOfALineWithTheNextCode) {
  Code branch = Code::braces("if (a)", "b;");
  branch.join(Code::braces(" else", "c;"));
  EXPECT_EQ(branch.str(), "if (a) {\n  b;\n} else {\n  c;\n}");
  EXPECT_EQ(Code().join("a;").str(), "a;");
  EXPECT_EQ(Code("a;  \n  \n").trimRight().join(" {").str(), "a; {");
}

TEST(Code, TakesBlankLinesOffTheFront) {
  Code lines = Code("\n\na;\n\nb;");
  EXPECT_EQ(lines.takeBlankLines().all().size(), 2u);
  EXPECT_EQ(lines.str(), "a;\n\nb;");
  EXPECT_TRUE(Code("\n \n").isBlank());
}

TEST(Code, NewLinesCanBeGivenAnOrigin) {
  Code code = Code::written({"a;", {4}}, "");
  code.add("new;").from(9);
  EXPECT_THAT(originsOf(code), ElementsAre(4, 9));
}

} // namespace
} // namespace heddle::source
