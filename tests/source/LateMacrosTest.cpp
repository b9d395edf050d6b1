// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Macros of the command line that are defined after the headers that Clang includes by itself.
#include "support/LateMacros.h"

#include "source/Program.h"
#include "support/Files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::source;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

std::string linesOf(const std::vector<std::string> &words) {
  std::vector<std::string> others;
  return lateMacroLines(words, others);
}

std::vector<std::string> remaining(const std::vector<std::string> &words) {
  std::vector<std::string> others;
  lateMacroLines(words, others);
  return others;
}

TEST(LateMacros, EachSpellingIsADefinition) {
  EXPECT_EQ(linesOf({"-DN=64"}), "#ifndef N\n#define N 64\n#endif\n");
  EXPECT_EQ(linesOf({"-D", "N=64"}), "#ifndef N\n#define N 64\n#endif\n");
  EXPECT_EQ(linesOf({"-DN"}), "#ifndef N\n#define N 1\n#endif\n");
  EXPECT_EQ(linesOf({"-DN="}), "#ifndef N\n#define N \n#endif\n");
  EXPECT_EQ(linesOf({"-DF(x)=(x == 1)"}), "#ifndef F\n#define F(x) (x == 1)\n#endif\n");
}

TEST(LateMacros, TheLastWordAboutANameCounts) {
  EXPECT_EQ(linesOf({"-DN=1", "-DN=2"}), "#ifndef N\n#define N 2\n#endif\n");
  EXPECT_EQ(linesOf({"-DN=1", "-UN"}), "");
  EXPECT_EQ(linesOf({"-UN", "-DN=1"}), "#ifndef N\n#define N 1\n#endif\n");
  EXPECT_THAT(remaining({"-DN=1", "-UN"}), ElementsAre("-UN"));
}

TEST(LateMacros, WhatHeadersAskForAndOtherWordsStay) {
  const std::vector<std::string> stay = {
      "-D_GNU_SOURCE", "-DNDEBUG",   "-D",      "CUDA_API_PER_THREAD_DEFAULT_STREAM",
      "-Ifolder",      "-std=c++20", "-Xclang", "-DN"};
  EXPECT_EQ(linesOf(stay), "");
  EXPECT_EQ(remaining(stay), stay);
  EXPECT_THAT(remaining({"-I", "a", "-DN=1", "-O2"}), ElementsAre("-I", "a", "-O2"));
}

TEST(LateMacros, TheFileIsIncludedBeforeThoseOfTheUser) {
  const std::vector<std::string> words = withLateMacros({"-include", "own.h", "-DN=64"});
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[0], "-include");
  EXPECT_THAT(contentsOf(words[1]), HasSubstr("#define N 64"));
  EXPECT_EQ(words[2], "-include");
  EXPECT_EQ(withLateMacros({"-DN=64"})[1], words[1]) << "one file for one text";
  EXPECT_NE(withLateMacros({"-DN=65"})[1], words[1]);
  EXPECT_THAT(withLateMacros({"-imacros", "own.h", "-DN=64"}), ElementsAre("-imacros", "own.h", "-DN=64"));
}

// cuda.h has parameters `N`, headers of cuRAND a template parameter `X`, and Clang's own ones more of them.
TEST(LateMacros, NamesOfParametersInHeadersDoNoHarm) {
  for (const char *toolkit : {"", "none"}) {
    CompileOptions options;
    options.cudaPath = toolkit;
    options.userArguments = {"-DN=64", "-DX=1", "-DY", "-DWITH_STRING"};
    auto parsed = Program::parseText("macros.cu",
                                     "#ifdef WITH_STRING\n#include <string>\n#endif\n"
                                     "static_assert(N == 64 && X == 1 && Y == 1, \"\");\n"
                                     "std::string text;\n"
                                     "__global__ void k(float *a) { a[threadIdx.x] = N; }\n"
                                     "void start(float *a) { k<<<1, N>>>(a); }\n",
                                     options);
    auto *program = std::get_if<std::unique_ptr<Program>>(&parsed);
    ASSERT_TRUE(program) << std::get<ParseFailure>(parsed).compilerMessages;
    ASSERT_EQ((*program)->launches().size(), 1u);
    EXPECT_EQ((*program)->launches()[0].block.xyz[0].value, 64);
  }
}

} // namespace
