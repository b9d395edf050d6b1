// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/HeaderCache.h"

#include "support/Paths.h"
#include "support/Process.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace fs = std::filesystem;
using namespace heddle;

namespace {

/// A folder with a header, and a compiler that is told to include it before anything else.
class HeaderCache : public ::testing::Test {
protected:
  void SetUp() override {
    for (const char *name : {"clang++-22", "clang++"})
      if (!clang)
        clang = findProgram(name);
    if (!clang)
      GTEST_SKIP() << "there is no Clang on this machine";
    setenv("HEDDLE_HEADER_CACHE", (folder.path() / "cache").c_str(), 1);
    write("header.h", "#pragma once\ninline int answer() { return 42; }\n");
    write("main.cpp", "#include \"header.h\"\nint main() { return answer(); }\n");
  }
  void TearDown() override { unsetenv("HEDDLE_HEADER_CACHE"); }

  void write(const char *name, const std::string &text) { std::ofstream(folder.path() / name) << text; }
  std::string in(const char *name) { return (folder.path() / name).string(); }
  std::vector<std::string> command() { return {clang->string(), "-x", "c++", "-include", in("header.h")}; }

  /// What the program exits with when it is compiled by this command.
  int answerOf(std::vector<std::string> compile) {
    compile.insert(compile.end(), {in("main.cpp"), "-o", in("main")});
    ProcessResult compiled = runProcess(compile);
    EXPECT_TRUE(compiled.succeeded()) << compiled.standardError;
    return runProcess({in("main")}).exitCode;
  }

  TemporaryFolder folder;
  std::optional<fs::path> clang;
};

fs::path fileOf(const std::vector<std::string> &command) { return command.back(); }

} // namespace

TEST_F(HeaderCache, ACompilerReadsThePrecompiledFileInsteadOfTheHeader) {
  std::vector<std::string> cached = withCachedHeaders(command());
  ASSERT_EQ(cached.size(), command().size() + 4);
  EXPECT_TRUE(fs::exists(fileOf(cached)));
  EXPECT_EQ(answerOf(cached), 42);
}

TEST_F(HeaderCache, TheFileIsMadeOnceForACommandAndAnotherForAnother) {
  std::vector<std::string> cached = withCachedHeaders(command());
  const auto made = fs::last_write_time(fileOf(cached));
  EXPECT_EQ(withCachedHeaders(command()), cached);
  EXPECT_EQ(fs::last_write_time(fileOf(cached)), made);
  std::vector<std::string> other = command();
  other.push_back("-DX=1");
  EXPECT_NE(fileOf(withCachedHeaders(other)), fileOf(cached));
}

TEST_F(HeaderCache, AHeaderThatHasChangedIsCompiledAnew) {
  withCachedHeaders(command());
  write("header.h", "#pragma once\ninline int answer() { return 7; } // now\n");
  EXPECT_EQ(answerOf(withCachedHeaders(command())), 7);
}

TEST_F(HeaderCache, TheCommandStaysAsItIsWhereHeadersDoNotCompileOrNobodyAsks) {
  write("header.h", "#error not by itself\n");
  EXPECT_EQ(withCachedHeaders(command()), command());
  write("header.h", "#pragma once\n");
  unsetenv("HEDDLE_HEADER_CACHE");
  EXPECT_EQ(withCachedHeaders(command()), command());
}
