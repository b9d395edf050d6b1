// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/NamesInText.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

using NameSet = std::set<std::string>;

TEST(NamesInText, AreIdentifiersOutsideOfCommentsAndLiterals) {
  EXPECT_EQ(namesIn("template <class T> f(x_1, \"no \\\" no\", 'n'); // no\n/* no\n no */ y"),
            (NameSet{"template", "class", "T", "f", "x_1", "y"}));
  EXPECT_EQ(namesIn("a = 0xffu + 1'000u + b'"), (NameSet{"a", "b"}));
  EXPECT_EQ(namesIn(""), NameSet());
  EXPECT_EQ(namesIn("/* without an end"), NameSet());
}

TEST(NamesInText, ConditionsReplaceNothing) {
  EXPECT_EQ(
      namesIn("#ifdef A\n#if defined(B) && \\\n  C\n#undef D\n#include <e>\n  #  pragma f\n#define G H\n"),
      (NameSet{"define", "G", "H"}));
}

TEST(NamesInText, ARuntimeHeaderHasThoseOfTheHeadersItIncludes) {
  EXPECT_TRUE(namesInRuntimeHeader("heddle/launch.cuh").contains("X"));
  EXPECT_FALSE(namesInRuntimeHeader("heddle/launch.cuh").contains("Way"));
  EXPECT_TRUE(namesInRuntimeHeader("heddle/regroup.cuh").contains("digits")); // of sort.cuh
  EXPECT_EQ(namesInRuntimeHeader("heddle/none.cuh"), NameSet());
}

TEST(NamesInText, AMacroIsNamedByItsDefine) {
  EXPECT_EQ(macroDefinedIn("#define N 3"), "N");
  EXPECT_EQ(macroDefinedIn(" \t# define F(x) x\r"), "F");
  EXPECT_EQ(macroDefinedIn("#define N\r"), "N");
  EXPECT_EQ(macroDefinedIn("#undef N"), "");
  EXPECT_EQ(macroDefinedIn("int N;"), "");
}

} // namespace
