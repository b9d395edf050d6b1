// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/JoinedText.h"

#include "support/Files.h"
#include "support/Paths.h"
#include "transform/HelperIncludes.h"

#include <gtest/gtest.h>

namespace fs = std::filesystem;
using namespace heddle;
using namespace heddle::transform;
using Files = std::map<fs::path, std::string>;

namespace {

class JoinedTextTest : public ::testing::Test {
protected:
  TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path()), a = root / "lib/a.cu", b = root / "b.cu",
                 h = root / "lib/k.h";
  const std::string aText = "#include \"k.h\"\nint a;\n", bText = "#include \"lib/k.h\"\r\nint b; // no end",
                    hText = "#pragma once\nint k;\n";

  JoinedTextTest() {
    makeFolder(root / "lib");
    for (const auto &[file, text] : Files{{a, aText}, {b, bText}, {h, hText}})
      writeFileOrThrow(file, text);
  }
  JoinedText joined() const { return JoinedText(root / "program.cu", {{a, aText}, {b, bText}}); }
  static unsigned lineOf(const std::string &text, const std::string &what) {
    return 1 + unsigned(std::count(text.begin(), text.begin() + long(text.find(what)), '\n'));
  }
};

TEST_F(JoinedTextTest, unchangedFilesAreByteForByteWhatTheyWere) {
  const JoinedText all = joined();
  EXPECT_EQ(all.split(all.text().str()), (Files{{a, aText}, {b, bText}}));
}

TEST_F(JoinedTextTest, aHeaderInPlaceOfItsIncludeBecomesAFileAgain) {
  JoinedText all = joined();
  source::MappedText text = all.text();
  EXPECT_TRUE(all.arguments(text.str()).empty());
  const unsigned line = lineOf(text.str(), "#include \"lib/k.h\"");
  text.replaceLine(line, all.embed(h, hText, text.str(), line));
  EXPECT_NE(text.str().find("#pragma once\nint k;\n"), std::string::npos);
  EXPECT_EQ(all.arguments(text.str()).size(), 4u);
  EXPECT_EQ(all.split(text.str()), (Files{{a, aText}, {b, bText}, {h, hText}}));
}

TEST_F(JoinedTextTest, linesHaveTheNumbersOfTheirFiles) {
  JoinedText all = joined();
  source::MappedText text = all.text();
  const unsigned line = lineOf(text.str(), "#include \"lib/k.h\"");
  text.replaceLine(line, all.embed(h, hText, text.str(), line));
  const auto given = [&](const std::string &what) {
    const SourceLocation at = text.given({"program.cu", lineOf(text.str(), what), 1});
    return fs::path(at.file).filename().string() + ":" + std::to_string(at.line);
  };
  EXPECT_EQ(given("int a;"), "a.cu:2");
  EXPECT_EQ(given("int k;"), "k.h:2");
  EXPECT_EQ(given("int b;"), "b.cu:2");
  // Behind the header, #line goes on with the second line of a.cu.
  EXPECT_NE(text.str().find("#line 2 \"" + a.string() + "\"\nint a;"), std::string::npos) << text.str();
}

TEST_F(JoinedTextTest, changesStayInTheirFile) {
  const JoinedText all = joined();
  std::string text = all.text().str();
  text.insert(text.find("int b;"), "int more;\n");
  EXPECT_EQ(all.split(text)->at(b), "#include \"lib/k.h\"\r\nint more;\nint b; // no end");
  EXPECT_EQ(all.split(text)->at(a), aText);
}

TEST_F(JoinedTextTest, aPartThatWasCopiedCannotBeSplit) {
  JoinedText all = joined();
  source::MappedText text = all.text();
  const unsigned line = lineOf(text.str(), "#include \"lib/k.h\"");
  const source::InsertedFile inside = all.embed(h, hText, text.str(), line);
  text.replaceLine(line, inside);
  std::string twice = text.str();
  twice.insert(twice.find("int a;"), inside.text + "\n");
  EXPECT_EQ(all.split(twice), std::nullopt);
  std::string without = text.str();
  without.erase(without.find("// -- end of"), 10);
  EXPECT_EQ(all.split(without), std::nullopt);
}

// Headers of Heddle
// -------------------------------------------------------------------------------------------------

const std::string launch = "#include <heddle/launch.cuh>";

TEST(HelperIncludes, goBehindTheLastIncludeBeforeTheUse) {
  EXPECT_EQ(withHelper("#include <a>\n\nvoid f() { heddle::g(); }\n#include <b>\n", launch),
            "#include <a>\n" + launch + "\n\nvoid f() { heddle::g(); }\n#include <b>\n");
}

TEST(HelperIncludes, areNotInAConditionThatTheUseIsNotIn) {
  EXPECT_EQ(
      withHelper("#include <a>\n#ifdef X\n#include <b>\n#else\n#include <c>\n#endif\nint i = heddle::g();\n",
                 launch),
      "#include <a>\n" + launch +
          "\n#ifdef X\n#include <b>\n#else\n#include <c>\n#endif\nint i = heddle::g();\n");
}

TEST(HelperIncludes, areNotInsideOfADeclaration) {
  EXPECT_EQ(withHelper("namespace n {\n#include \"list.def\"\n}\nint i = heddle::g();\n", launch),
            launch + "\n\nnamespace n {\n#include \"list.def\"\n}\nint i = heddle::g();\n");
}

TEST(HelperIncludes, areBehindTheIncludeGuard) {
  EXPECT_EQ(withHelper("// A header.\n#ifndef K_H\n#define K_H\n/* int i; */\nint i = heddle::g();\n#endif\n",
                       launch),
            "// A header.\n#ifndef K_H\n#define K_H\n/* int i; */\n" + launch +
                "\n\nint i = heddle::g();\n#endif\n");
}

TEST(HelperIncludes, areInTheFilesThatUseThem) {
  Files given = {
      {"a", "#include <x>\nint a;\n"}, {"b", "#include <x>\nint b;\n"}, {"c", "int c = heddle::old();\n"}};
  Files files = {{"a", "#include <x>\n" + launch + "\n\nint a;\n"},
                 {"b", "#include <x>\nint b = heddle::g();\n"},
                 {"c", given.at("c")}};
  distributeHelpers(files, given);
  EXPECT_EQ(files.at("a"), "#include <x>\nint a;\n");
  EXPECT_EQ(files.at("b"), "#include <x>\n" + launch + "\nint b = heddle::g();\n");
  EXPECT_EQ(files.at("c"), given.at("c"));
}

} // namespace
