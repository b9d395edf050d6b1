// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/SetAsideMacros.h"

#include "source/Program.h"
#include "support/Files.h"
#include "support/Paths.h"
#include "transform/HelperIncludes.h"
#include "transform/RuntimeHeaders.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::transform;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

std::string messagesOf(const std::string &text, const std::vector<std::string> &flags = {}) {
  source::CompileOptions options;
  options.cudaPath = "none";
  options.userArguments = flags;
  auto result = source::Program::parseText("macros.cu", text, options);
  auto *failure = std::get_if<source::ParseFailure>(&result);
  return failure ? failure->compilerMessages : "";
}

std::vector<std::string> setAside(const std::string &text, const std::string &header,
                                  const std::vector<std::string> &flags = {}) {
  source::CompileOptions options;
  options.cudaPath = "none";
  options.userArguments = flags;
  auto result = source::Program::parseText("macros.cu", text, options);
  auto *program = std::get_if<std::unique_ptr<source::Program>>(&result);
  EXPECT_TRUE(program) << std::get<source::ParseFailure>(result).compilerMessages;
  return program ? macrosThatChange(header, **program, options) : std::vector<std::string>();
}

} // namespace

TEST(SetAsideMacros, AreThoseWhoseNamesAreInTheHeader) {
  EXPECT_THAT(setAside("#define X 3\n#define UNUSED 1\n#define _GNU_SOURCE\n", "heddle/launch.cuh"),
              ElementsAre("X"));
  EXPECT_THAT(setAside("int X;\n", "heddle/launch.cuh"), IsEmpty());
}

TEST(SetAsideMacros, AreThoseOfTheCommandLineAndOfIncludedFilesToo) {
  TemporaryFolder folder;
  writeFileOrThrow(folder.path() / "names.h", "#pragma once\n#define Y 4\n");
  writeFileOrThrow(folder.path() / "first.h", "#define kernel 4\n");
  EXPECT_THAT(setAside("#include \"names.h\"\n", "heddle/launch.cuh",
                       {"-I" + folder.path().string(), "-DX=3", "-D", "Z=1", "-DNDEBUG", "-include",
                        (folder.path() / "first.h").string()}),
              ElementsAre("X", "Y", "Z", "kernel"));
}

TEST(SetAsideMacros, AreThoseOfHeadersThatTheHeaderIncludes) {
  EXPECT_THAT(setAside("#define FILE 3\n", "heddle/launch.cuh"), ElementsAre("FILE")); // of <cstdio>
}

// CUB is not there without a toolkit, and may have any name.
TEST(SetAsideMacros, AnyMacroMayBeAnameOfCub) {
  EXPECT_THAT(setAside("#define ITEMS 3\n", "heddle/regroup.cuh"), ElementsAre("ITEMS"));
}

TEST(SetAsideMacros, TheParseOfATextSeesThem) {
  const std::string kernel = "__global__ void k(int *a) { a[0] = 1; }\n";
  for (const std::string flag : {"-DX=3", "-DUNUSED"}) {
    const std::string macro = flag == "-DX=3" ? "" : "#define X 3\n";
    EXPECT_THAT(messagesOf("#include <vector>\n" + macro + "#include <heddle/launch.cuh>\n" + kernel, {flag}),
                HasSubstr("error"));
    for (const bool isEmbedded : {false, true}) {
      const std::string text = "#include <vector>\n" + macro +
                               includeWithout({"X"}, "heddle/launch.cuh").lines("") + kernel +
                               "static_assert(X == 3);\n";
      EXPECT_EQ(messagesOf(isEmbedded ? withEmbeddedHeaders(text) : text, {flag}), "");
    }
  }
}

TEST(SetAsideMacros, GoWithTheIncludeFromFileToFile) {
  const std::string include = includeWithout({"A", "B"}, "heddle/launch.cuh").lines("");
  std::map<std::filesystem::path, std::string> given = {{"a", "#include <x>\nint a;\n"},
                                                        {"b", "#include <x>\nint b;\n"}};
  auto files = given;
  files["a"] = "#include <x>\n" + include + "\nint a;\n";
  files["b"] = "#include <x>\nint b = heddle::g();\n";
  distributeHelpers(files, given);
  EXPECT_EQ(files["a"], given["a"]);
  EXPECT_EQ(files["b"], "#include <x>\n" + include + "int b = heddle::g();\n");
  // Another helper comes behind them.
  EXPECT_EQ(withHelper(files["b"], "#include <heddle/kinds.cuh>"),
            "#include <x>\n" + include + "#include <heddle/kinds.cuh>\nint b = heddle::g();\n");
}
