// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS: their words count, and the words that were given keep their places.
#include "source/NvccEnvironment.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::source;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Mode = CompilerCommand::Mode;

namespace {

TEST(NvccEnvironment, WordsAreDividedAtBlanksOutsideOfQuotes) {
  EXPECT_THAT(wordsOfVariable(""), IsEmpty());
  EXPECT_THAT(wordsOfVariable(" \t\n"), IsEmpty());
  EXPECT_THAT(wordsOfVariable("  -DA\t-DB=1 \n-c "), ElementsAre("-DA", "-DB=1", "-c"));
  EXPECT_THAT(wordsOfVariable("-DA=\"x y\" -DB='p q'"), ElementsAre("-DA=\"x y\"", "-DB='p", "q'"));
}

TEST(NvccEnvironment, FlagsCountInTheirOrder) {
  const CompilerCommand given = readCommand({"nvcc", "-DMIDDLE", "-c", "a.cu", "-o", "a.o"});
  const CompilerCommand all = withVariables(given, "-DFIRST -arch=sm_80", "-Ilast --std c++20 -MD");
  EXPECT_THAT(all.parseFlags, ElementsAre("-DFIRST", "-DMIDDLE", "-Ilast", "-std=c++20"));
  EXPECT_THAT(all.archs, ElementsAre("sm_80"));
  EXPECT_EQ(all.mode, Mode::Compile);
  EXPECT_EQ(all.output, "a.o");
  EXPECT_TRUE(all.dependencies.isAsked);
}

TEST(NvccEnvironment, ModesCount) {
  const CompilerCommand given = readCommand({"nvcc", "a.cu"});
  EXPECT_EQ(withVariables(given, "-c", "").mode, Mode::Compile);
  EXPECT_EQ(withVariables(given, "", "--dryrun").mode, Mode::Query);
  EXPECT_TRUE(withVariables(readCommand({"nvcc", "-c", "a.cpp"}), "", "-x cu").inputs[0].isCuda);
}

TEST(NvccEnvironment, GivenWordsKeepTheirPlaces) {
  TemporaryFolder folder;
  const std::string list = (folder.path() / "list").string();
  writeFileOrThrow(list, "-c in.cu -DX");
  const CompilerCommand given = readCommand({"ccache", "nvcc", "-optf", list, "b.cu"});
  const CompilerCommand all = withVariables(given, "-DA early.cu -DB", "late.cu -O3");
  ASSERT_EQ(all.words.size(), given.words.size());
  EXPECT_EQ(all.compilerWords, 2u);
  ASSERT_EQ(all.inputs.size(), 2u); // those of the variables are nvcc's own matter
  for (const CommandInput &input : all.inputs)
    EXPECT_EQ(all.words[input.word].text, input.file);
  EXPECT_EQ(all.inputs[0].file, "in.cu");
  EXPECT_EQ(all.inputs[1].file, "b.cu");
}

TEST(NvccEnvironment, ResponseFilesOfAVariableAreRead) {
  TemporaryFolder folder;
  const std::string list = (folder.path() / "list").string();
  writeFileOrThrow(list, "-DFROM_FILE -gencode arch=compute_75,code=sm_75");
  const CompilerCommand all = withVariables(readCommand({"nvcc", "-c", "a.cu"}), "", "-optf " + list);
  EXPECT_THAT(all.parseFlags, ElementsAre("-DFROM_FILE"));
  EXPECT_THAT(all.archs, ElementsAre("sm_75"));
}

TEST(NvccEnvironment, ClangReadsNoSuchVariables) {
  const CompilerCommand given = readCommand({"clang++", "-c", "a.cu"});
  EXPECT_THAT(withVariables(given, "-DA", "-DB").parseFlags, IsEmpty());
}

} // namespace
