// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler is a script here, which writes down what it is run for.
#include "tune/CachedCompile.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gmock/gmock.h>

#include <sstream>

namespace heddle::tune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

struct CachedCompileTest : testing::Test {
  TemporaryFolder folder;
  const build::CompileCache cache{folder.path() / "kept"};

  CachedCompileTest() {
    // compiler WORD... -o OUTPUT [-c] [-MD -MF RULE]: the output is what the files have, one after the other.
    writeFileOrThrow(folder.path() / "compiler", R"sh(#!/bin/sh
here=$(dirname "$0"); files=; names=; does=link
while [ $# -gt 0 ]; do
  case $1 in
  -MF) printf 'x.o: %s\n' "$files" > "$2"; shift ;;
  -o) output=$2; shift ;;
  -c) does=compile ;;
  -*) ;;
  *) files="$files $1"; names="$names $(basename $1)" ;;
  esac
  shift
done
echo "$does$names" >> "$here/runs"
grep -q error $files && { echo "it does not compile" >&2; exit 1; }
cat $files > "$output"
echo "said of$names"
)sh");
    fs::permissions(folder.path() / "compiler", fs::perms::owner_all);
  }
  ProcessResult compile(const std::vector<std::pair<std::string, std::string>> &files,
                        const std::string &flag = "-O2") {
    const fs::path place = folder.path() / std::to_string(++count);
    fs::create_directory(place);
    program = place / "a.exe";
    runner::CompileCommand command{{(folder.path() / "compiler").string(), flag}, {}, program, place, 20};
    for (const auto &[name, text] : files) {
      writeFileOrThrow(place / name, text);
      command.sources.push_back(place / name);
      command.words.push_back((place / name).string());
    }
    command.words.insert(command.words.end(), {"-Xlinker", "-o", program.string()});
    return compileCached(cache, command);
  }
  std::vector<std::string> runs() const {
    std::vector<std::string> all;
    std::istringstream lines(contentsOf(folder.path() / "runs"));
    for (std::string line; std::getline(lines, line);)
      all.push_back(line);
    return all;
  }

  int count = 0;
  fs::path program;
};

TEST_F(CachedCompileTest, AProgramOfOneFileIsMadeOnce) {
  for (int i = 0; i < 2; ++i) {
    const ProcessResult done = compile({{"a.cu", "text\n"}});
    EXPECT_TRUE(done.succeeded());
    EXPECT_EQ(done.standardOutput, "said of a.cu\n");
    EXPECT_EQ(contentsOf(program), "text\n");
  }
  EXPECT_THAT(runs(), ElementsAre("link a.cu"));
  compile({{"a.cu", "other\n"}});
  EXPECT_EQ(contentsOf(program), "other\n");
  compile({{"a.cu", "text\n"}}, "-O3");
  EXPECT_EQ(runs().size(), 3u) << "another text and other flags are other programs";
}

TEST_F(CachedCompileTest, WhatIsLinkedToLibrariesIsLinkedEachTime) {
  const fs::path library = folder.path() / "libsolver.a";
  writeFileOrThrow(library, "solver\n");
  for (const std::string &flag : {std::string("-lsolver"), std::string("-Lfolder"), library.string()}) {
    fs::remove(folder.path() / "runs");
    compile({{"a.cu", flag + "\n"}}, flag);
    compile({{"a.cu", flag + "\n"}}, flag);
    ASSERT_EQ(runs().size(), 3u) << flag;
    EXPECT_THAT(runs()[1], testing::StartsWith("link"));
    EXPECT_THAT(runs()[2], testing::StartsWith("link"));
  }
  fs::remove(folder.path() / "runs");
  compile({{"b.cu", "text\n"}}, "-lineinfo");
  compile({{"b.cu", "text\n"}}, "-lineinfo");
  EXPECT_THAT(runs(), ElementsAre("link b.cu")) << "which is no library";
}

TEST_F(CachedCompileTest, OfSeveralFilesTheChangedOneIsCompiledAgain) {
  compile({{"a.cu", "a one\n"}, {"b.cpp", "b\n"}});
  const ProcessResult done = compile({{"a.cu", "a two\n"}, {"b.cpp", "b\n"}});
  EXPECT_TRUE(done.succeeded());
  EXPECT_EQ(contentsOf(program), "a two\nb\n");
  EXPECT_EQ(done.standardOutput, "said of a.cu\nsaid of b.cpp\nsaid of 0.o 1.o\n");
  EXPECT_THAT(runs(), UnorderedElementsAre("compile a.cu", "compile b.cpp", "link 0.o 1.o", "compile a.cu",
                                           "link 0.o 1.o"));
}

TEST_F(CachedCompileTest, AFileThatDoesNotCompileIsTheEndOfIt) {
  const ProcessResult done = compile({{"a.cu", "error\n"}, {"b.cpp", "b\n"}});
  EXPECT_FALSE(done.succeeded());
  EXPECT_EQ(done.standardOutput, "it does not compile\n");
  EXPECT_THAT(runs(), UnorderedElementsAre("compile a.cu", "compile b.cpp")) << "and nothing is linked";
}

TEST_F(CachedCompileTest, WhereTheWordsNameALanguageItIsOneCommand) {
  compile({{"a.cu", "a\n"}, {"b.cpp", "b\n"}}, "-x=cu");
  EXPECT_THAT(runs(), ElementsAre("link a.cu b.cpp"));
  EXPECT_EQ(contentsOf(program), "a\nb\n");
}

} // namespace
} // namespace heddle::tune
