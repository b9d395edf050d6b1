// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of several files that nvcc compiles, with a script in its place that writes down how it is called.
#include "build/Build.h"
#include "support/Files.h"
#include "support/Paths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

namespace fs = std::filesystem;
using namespace heddle;
using namespace heddle::build;

namespace {

struct NvccFiles : testing::Test {
  void SetUp() override {
    const fs::path nvcc = folder.path() / "nvcc";
    writeFileOrThrow(nvcc, R"(#!/bin/sh
echo "$*" >> "$(dirname "$0")/calls"
while [ $# -gt 0 ]; do
  case $1 in
  -o) echo made > "$2"; shift ;;
  -MF) echo "x.o: $0" > "$2"; shift ;;
  esac
  shift
done
)");
    fs::permissions(nvcc, fs::perms::owner_all);
    setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
    for (const char *variable : {"CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"}) // they take precedence
      unsetenv(variable);
    request.compiler = Compiler::Nvcc;
    request.cache = CompileCache(folder.path() / "kept");
    request.output = folder.path() / "program";
    for (const char *name : {"one.cu", "two.cu"})
      write(name, "int of;\n");
  }
  void TearDown() override { setenv("PATH", path.c_str(), 1); }

  void write(const char *name, const std::string &text) {
    writeFileOrThrow(folder.path() / name, text);
    request.sources.files.push_back(folder.path() / name);
  }
  /// How often it compiled and how often it linked when the program was built.
  std::pair<int, int> compiledAndLinked() {
    std::error_code ignored;
    fs::remove(folder.path() / "calls", ignored);
    EXPECT_TRUE(heddle::build::build(request, diagnostics).ok);
    std::pair<int, int> counts;
    std::istringstream calls(contentsOf(folder.path() / "calls"));
    for (std::string call; std::getline(calls, call);)
      ++(call.find(" -c ") != std::string::npos ? counts.first : counts.second), last = call;
    return counts;
  }

  TemporaryFolder folder;
  const std::string path = std::getenv("PATH");
  Request request;
  Diagnostics diagnostics;
  std::string last; ///< call
};

} // namespace

TEST_F(NvccFiles, ThoseThatHaveNotChangedAreNotCompiledAgain) {
  using Counts = std::pair<int, int>;
  EXPECT_EQ(compiledAndLinked(), Counts(2, 1));
  EXPECT_EQ(compiledAndLinked(), Counts(0, 1));
  writeFileOrThrow(folder.path() / "two.cu", "int another;\n");
  EXPECT_EQ(compiledAndLinked(), Counts(1, 1));
}

TEST_F(NvccFiles, ObjectsAreLinkedWithTheFlagsOfAllButTheirLanguage) {
  request.sources.flags = {"-x", "cu", "-Xcompiler", "-fopenmp"};
  compiledAndLinked();
  EXPECT_EQ(last.find("-x cu"), std::string::npos) << last;
  EXPECT_NE(last.find("-Xcompiler -fopenmp"), std::string::npos) << last;
}

TEST_F(NvccFiles, OneFileIsCompiledAndLinkedAtOnce) {
  request.sources.files.pop_back();
  EXPECT_EQ(compiledAndLinked(), (std::pair<int, int>(0, 1)));
}
