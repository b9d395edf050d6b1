// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/HeaderCache.h"

#include "support/Paths.h"
#include "support/Process.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <set>

namespace fs = std::filesystem;
using namespace heddle;

namespace {

/// A folder with a header, and a compiler that is asked to include it before anything else.
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

TEST_F(HeaderCache, AClangThatDoesNotLoadThePluginMakesTheFileWithoutIt) {
  for (const char *loads : {"yes", "no"}) {
    write("clang",
          "#!/bin/sh\ncase \"$*\" in *-fplugin=*) echo x >> " + in("plugins") + "\n  [ " + loads +
              " = yes ] || { echo \"unable to load plugin 'libheddle_forget_checked.so'\" >&2; exit 1; }"
              "\nesac\nexec " +
              clang->string() + " \"$@\"\n");
    fs::permissions(in("clang"), fs::perms::owner_all);
    std::vector<std::string> words = command();
    words.front() = in("clang");
    words.push_back(std::string("-DLOADS=") + loads);
    EXPECT_EQ(answerOf(withCachedHeaders(words)), 42);
    EXPECT_TRUE(fs::exists(in("plugins")));
    fs::remove(in("plugins"));
  }
}

TEST_F(HeaderCache, ErrorsThatClangPostponesAreReported) {
  fs::create_directory(folder.path() / "system");
  write("system/functions.h", "#pragma once\nvoid onHost();\n"
                              "#define BOTH __attribute__((host)) __attribute__((device))\n");
  write("main.cu", "inline BOTH void both() { onHost(); }\n__attribute__((global)) void k() { both(); }\n");
  std::vector<std::string> words =
      withCachedHeaders({clang->string(), "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
                         "-isystem", in("system"), "-include", "functions.h"});
  EXPECT_EQ(fileOf(words).extension(), ".pch");
  words.insert(words.end(), {"-fsyntax-only", in("main.cu")});
  const std::string said = runProcess(words).standardError;
  EXPECT_NE(said.find("reference to __host__ function 'onHost'"), std::string::npos) << said;
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

TEST_F(HeaderCache, FlagsThatAPrecompiledHeaderIsAsGoodWithoutShareAFile) {
  std::vector<std::string> other = command();
  other.insert(other.end(), {"-Wall", "-gline-tables-only", "-w", "-fcolor-diagnostics"});
  const std::vector<std::string> cached = withCachedHeaders(other);
  EXPECT_EQ(fileOf(cached), fileOf(withCachedHeaders(command())));
  EXPECT_EQ(answerOf(cached), 42);
  other.emplace_back("-Wp,-DX=1");
  EXPECT_NE(fileOf(withCachedHeaders(other)), fileOf(cached));
}

TEST_F(HeaderCache, StandardHeadersThatAFileBeginsWithArePrecompiledToo) {
  const std::vector<std::string> cached = withCachedHeaders(command(), {"string", "vector"});
  EXPECT_NE(fileOf(cached), fileOf(withCachedHeaders(command())));
  EXPECT_NE(fileOf(cached), fileOf(withCachedHeaders(command(), {"vector"})));
  EXPECT_EQ(fileOf(cached), fileOf(withCachedHeaders(command(), {"string", "vector"})));
  // They are read from the file: here without an #include that would do it too.
  write("main.cpp", "int main() { return int(std::vector{std::string(40, ' ')}[0].size()) + 2; }\n");
  EXPECT_EQ(answerOf(cached), 42);
  write("main.cpp",
        "#include <vector>\n#include <string>\n#include \"header.h\"\nint main() { return answer(); }\n");
  EXPECT_EQ(answerOf(cached), 42);
}

TEST_F(HeaderCache, AFileWithMoreHeadersContinuesAnotherAndIsMadeAgainWithIt) {
  fs::create_directories(in("ours/heddle"));
  write("ours/heddle/seven.h", "#pragma once\ninline int seven() { return 7; }\n");
  std::vector<std::string> base = command();
  base.insert(base.end(), {"-isystem", in("ours")});
  write("main.cpp", "int main() { return answer() - seven() + int(std::vector{1}.size()); }\n");
  // Headers of ours come last, wherever they are named.
  const std::vector<std::string> cached = withCachedHeaders(base, {"heddle/seven.h", "vector"});
  EXPECT_EQ(answerOf(cached), 36);
  const fs::path withVector = fileOf(withCachedHeaders(base, {"vector"}));
  EXPECT_LT(fs::file_size(fileOf(cached)), fs::file_size(withVector) / 4) << "it has <vector> too";
  // The file that is continued is gone, or another one has its name.
  fs::remove(withVector);
  EXPECT_EQ(answerOf(withCachedHeaders(base, {"heddle/seven.h", "vector"})), 36);
  std::ofstream(fileOf(withCachedHeaders(base, {"vector"})), std::ios::app) << "more";
  EXPECT_NE(withCachedHeaders(base, {"heddle/seven.h", "vector"}), cached);
  write("header.h", "#pragma once\ninline int answer() { return 43; } // now\n");
  EXPECT_EQ(answerOf(withCachedHeaders(base, {"heddle/seven.h", "vector"})), 37);
}

TEST_F(HeaderCache, CommandsWithOtherMacrosThatNoHeaderAsksForShareAFile) {
  const auto with = [&](const char *text, std::vector<std::string> further = {}) {
    std::vector<std::string> words = command();
    words.insert(words.end(), {"-include", keptMacros(text)->string()});
    words.insert(words.end(), further.begin(), further.end());
    return words;
  };
  const char *one = "#pragma once\n#define MORE 1\n", *two = "#pragma once\n#define MORE 2\n";
  write("main.cpp", "int main() { return answer() + MORE + int(std::vector<int>().size()); }\n");
  const std::vector<std::string> cached = withCachedHeaders(with(one), {"vector"});
  EXPECT_EQ(fileOf(cached), fileOf(withCachedHeaders(command(), {"vector"})));
  EXPECT_EQ(answerOf(cached), 43);
  EXPECT_EQ(answerOf(withCachedHeaders(with(two), {"vector"})), 44);
  // One that follows may ask for them.
  write("asks.h", "inline int more() { return MORE; }\n");
  write("main.cpp", "int main() { return answer() + more(); }\n");
  for (const auto &[text, sum] : {std::pair(one, 43), {two, 44}}) {
    const std::vector<std::string> asking = withCachedHeaders(with(text, {"-include", in("asks.h")}));
    EXPECT_EQ(asking.size(), command().size() + 8) << "precompiled";
    EXPECT_EQ(answerOf(asking), sum);
  }
}

TEST_F(HeaderCache, ThoseWhoWantTheSameFileWaitForIt) {
  std::vector<std::future<std::vector<std::string>>> wanting;
  for (int i = 0; i < 4; ++i)
    wanting.push_back(std::async(std::launch::async, [&] { return withCachedHeaders(command()); }));
  std::set<std::vector<std::string>> commands;
  for (auto &each : wanting)
    commands.insert(each.get());
  EXPECT_EQ(commands.size(), 1u);
  for (const fs::directory_entry &entry : fs::directory_iterator(folder.path() / "cache"))
    EXPECT_TRUE(entry.path().extension() != ".lock") << entry.path();
  EXPECT_EQ(answerOf(*commands.begin()), 42);
}

TEST_F(HeaderCache, WithoutAStandardHeaderThatIsNotThereTheOthersArePrecompiled) {
  EXPECT_EQ(withCachedHeaders(command(), {"no_such_header"}), withCachedHeaders(command()));
}

TEST_F(HeaderCache, AFolderWithAStandardHeaderOfItsOwnHasAFileOfItsOwn) {
  fs::create_directories(in("own"));
  write("own/vector", "#pragma once\ninline int answerOfOwn() { return 7; }\n");
  const fs::path usual = fileOf(withCachedHeaders(command(), {"vector"}));
  std::vector<std::string> own = command();
  own.push_back("-I" + in("own"));
  const std::vector<std::string> cached = withCachedHeaders(own, {"vector"});
  EXPECT_NE(fileOf(cached), usual);
  write("main.cpp", "int main() { return answerOfOwn(); }\n");
  EXPECT_EQ(answerOf(cached), 7);
}

TEST_F(HeaderCache, FoldersThatLeadToTheSameHeadersShareAFile) {
  fs::create_directories(in("one"));
  fs::create_directories(in("two"));
  write("one/unrelated.h", "");
  std::vector<std::string> one = command(), two = command(), apart = command();
  one.push_back("-I" + in("one"));
  two.insert(two.end(), {"-I" + in("one"), "-I" + in("two")});
  apart.insert(apart.end(), {"-I", in("two")});
  const fs::path file = fileOf(withCachedHeaders(one));
  EXPECT_EQ(fileOf(withCachedHeaders(two)), file);
  EXPECT_EQ(fileOf(withCachedHeaders(apart)), file);
  EXPECT_EQ(answerOf(withCachedHeaders(two)), 42);
}

TEST_F(HeaderCache, TheFolderThatTheCompilerIsStartedInDoesNotMatter) {
  const fs::path before = fs::current_path();
  const fs::path file = fileOf(withCachedHeaders(command()));
  fs::current_path(folder.path());
  const fs::path there = fileOf(withCachedHeaders(command()));
  std::vector<std::string> relative = {clang->string(), "-x", "c++", "-include", "header.h"};
  const fs::path byRelativePath = fileOf(withCachedHeaders(relative));
  fs::create_directories(in("other"));
  write("other/header.h", "#pragma once\ninline int answer() { return 7; }\n");
  fs::current_path(in("other"));
  const fs::path byAnotherPath = fileOf(withCachedHeaders(relative));
  fs::current_path(before);
  EXPECT_EQ(there, file);
  EXPECT_NE(byRelativePath, file);
  EXPECT_NE(byAnotherPath, byRelativePath);
}

TEST_F(HeaderCache, AFolderThatShadowsAHeaderHasAFileOfItsOwn) {
  for (const char *name : {"part", "system/detail", "user/detail"})
    fs::create_directories(in(name));
  write("header.h", "#include <detail/value.h>\ninline int answer() { return value; }\n");
  write("main.cpp", "int main() { return answer(); }\n");
  write("system/detail/value.h", "constexpr int value = 42;\n");
  std::vector<std::string> system = command();
  system.insert(system.end(), {"-isystem", in("system")});
  std::vector<std::string> user = system;
  user.push_back("-I" + in("user"));
  const fs::path file = fileOf(withCachedHeaders(system));
  EXPECT_EQ(fileOf(withCachedHeaders(user)), file); // the folder is empty as yet
  write("user/detail/value.h", "constexpr int value = 7;\n");
  EXPECT_EQ(answerOf(withCachedHeaders(user)), 7);
  EXPECT_EQ(answerOf(withCachedHeaders(system)), 42); // although the newer file has the same name
  EXPECT_NE(fileOf(withCachedHeaders(user)), file);
  EXPECT_EQ(fileOf(withCachedHeaders(system)), file);
}

TEST_F(HeaderCache, AFileThatHasTheNameOfAHeaderAndIsNotIncludedDoesNotMatter) {
  // As param.h of CUDA's samples beside sys/param.h.
  for (const char *name : {"system/detail", "user"})
    fs::create_directories(in(name));
  write("header.h", "#include <detail/value.h>\ninline int answer() { return value; }\n");
  write("main.cpp", "int main() { return answer(); }\n");
  write("system/detail/value.h", "constexpr int value = 42;\n");
  write("user/value.h", "constexpr int value = 7;\n");
  std::vector<std::string> words = command();
  words.insert(words.end(), {"-isystem", in("system"), "-I" + in("user")});
  const fs::path file = fileOf(withCachedHeaders(words));
  ASSERT_EQ(file.extension(), ".pch") << "it is good for the command that it was made for";
  EXPECT_EQ(fileOf(withCachedHeaders(words)), file);
  EXPECT_EQ(answerOf(withCachedHeaders(words)), 42);
  fs::create_directories(in("user/detail"));
  write("user/detail/value.h", "constexpr int value = 8;\n");
  EXPECT_EQ(answerOf(withCachedHeaders(words)), 8) << "another one that is included now";
}

TEST_F(HeaderCache, HeadersAfterAMacroThatTheyMentionAreNotPrecompiled) {
  fs::create_directories(in("ours/heddle"));
  write("ours/heddle/asks.h", "#pragma once\n#ifdef _MORE\nconstexpr int more = 1;\n#else\n"
                              "constexpr int more = 0;\n#endif\n");
  write("main.cpp", "#define _MORE\n#include <heddle/asks.h>\nint main() { return answer() + more; }\n");
  std::vector<std::string> words = command();
  words.insert(words.end(), {"-isystem", in("ours")});
  const auto with = [&](const char *macro) {
    return withCachedHeaders(words, OpeningHeaders{{"heddle/asks.h"}, {macro}, {}});
  };
  EXPECT_EQ(answerOf(with("_MORE")), 43);
  EXPECT_EQ(fileOf(with("_MORE")), fileOf(withCachedHeaders(words)));
  EXPECT_EQ(fileOf(with("_OTHER")), fileOf(withCachedHeaders(words, {"heddle/asks.h"})));
}

TEST_F(HeaderCache, FoldersMayHaveAnyName) {
  for (const char *name : {"a folder", "a#b", "two  blanks", "a$b"}) {
    fs::create_directories(folder.path() / name);
    write((std::string(name) + "/header.h").c_str(), "#pragma once\ninline int answer() { return 42; }\n");
    const std::vector<std::string> words = {clang->string(), "-x", "c++", "-include",
                                            (folder.path() / name / "header.h").string()};
    write("main.cpp", "int main() { return answer(); }\n");
    const std::vector<std::string> cached = withCachedHeaders(words);
    ASSERT_EQ(fileOf(cached).extension(), ".pch") << name;
    EXPECT_EQ(withCachedHeaders(words), cached) << name;
    EXPECT_EQ(answerOf(cached), 42) << name;
  }
}

TEST_F(HeaderCache, AHeaderThatHasChangedIsCompiledAnew) {
  withCachedHeaders(command());
  write("header.h", "#pragma once\ninline int answer() { return 7; } // now\n");
  EXPECT_EQ(answerOf(withCachedHeaders(command())), 7);
}

TEST_F(HeaderCache, AnotherToolkitMeansAnotherFile) {
  // Clang's driver takes the toolkit of the ptxas on the PATH, and its version for that of the PTX.
  const std::string pathBefore = std::getenv("PATH");
  for (const char *name : {"toolkit/bin", "toolkit/include", "toolkit/lib", "toolkit/nvvm/libdevice"})
    fs::create_directories(in(name));
  write("toolkit/bin/ptxas", "#!/bin/sh\n");
  fs::permissions(in("toolkit/bin/ptxas"), fs::perms::owner_all);
  setenv("PATH", (in("toolkit/bin") + ":" + pathBefore).c_str(), 1);
  const std::vector<std::string> device = {clang->string(),
                                           "-x",
                                           "cuda",
                                           "--cuda-device-only",
                                           "-nocudainc",
                                           "-nocudalib",
                                           "--cuda-gpu-arch=sm_80",
                                           "-Wno-unknown-cuda-version",
                                           "-fsyntax-only",
                                           "-include",
                                           in("header.h")};
  write("kernel.cu", "__attribute__((global)) void kernel() {}\n");
  std::vector<fs::path> files;
  for (const char *version : {"#define CUDA_VERSION 12030\n", "#define CUDA_VERSION 11080\n", ""}) {
    fs::remove(in("toolkit/include/cuda.h"));
    if (*version)
      write("toolkit/include/cuda.h", version);
    std::vector<std::string> cached = withCachedHeaders(device);
    files.push_back(fileOf(cached));
    cached.push_back(in("kernel.cu"));
    ProcessResult compiled = runProcess(cached);
    EXPECT_TRUE(compiled.succeeded()) << version << compiled.standardError;
  }
  setenv("PATH", pathBefore.c_str(), 1);
  EXPECT_NE(files[0], files[1]);
  EXPECT_NE(files[1], files[2]);
}

TEST_F(HeaderCache, OfTooManyFilesTheLeastRecentlyUsedGo) {
  using namespace std::chrono_literals;
  const fs::path cache = folder.path() / "cache";
  fs::create_directories(cache);
  for (auto [name, age] : {std::pair("old", 60min), {"older", 90min}, {"used", 30min}, {"new", 0min}}) {
    const std::string file = (cache / name).string() + ".pch";
    std::ofstream(file) << std::string(1000, 'x');
    std::ofstream(file + ".state") << "state";
    fs::last_write_time(file, fs::file_time_type::clock::now() - 100min);
    fs::last_write_time(file + ".state", fs::file_time_type::clock::now() - age);
  }
  auto isLeft = [&](const char *name) { return fs::exists(cache / (std::string(name) + ".pch")); };
  limitHeaderCache(cache, 4000, 1min);
  EXPECT_TRUE(isLeft("older"));
  limitHeaderCache(cache, 2500, 1min);
  EXPECT_FALSE(isLeft("older"));
  EXPECT_FALSE(fs::exists(cache / "older.pch.state"));
  EXPECT_FALSE(isLeft("old"));
  EXPECT_TRUE(isLeft("used"));
  limitHeaderCache(cache, 0, 1min); // a compiler may be about to open the new one
  EXPECT_FALSE(isLeft("used"));
  EXPECT_TRUE(isLeft("new"));
}

TEST_F(HeaderCache, AFileThatIsReadCountsAsUsed) {
  using namespace std::chrono_literals;
  const fs::path state = fileOf(withCachedHeaders(command())).string() + ".state";
  const auto longAgo = fs::file_time_type::clock::now() - 1h;
  fs::last_write_time(state, longAgo);
  withCachedHeaders(command());
  EXPECT_GT(fs::last_write_time(state), longAgo + 30min);
}

TEST_F(HeaderCache, TheCommandIsUnchangedWhereHeadersDoNotCompileOrNoCacheIsAskedFor) {
  write("header.h", "#error not by itself\n");
  EXPECT_EQ(withCachedHeaders(command()), command());
  write("header.h", "#pragma once\n");
  setenv("HEDDLE_HEADER_CACHE", "off", 1);
  EXPECT_EQ(withCachedHeaders(command()), command());
}

TEST_F(HeaderCache, WithoutAFolderFilesAreInTheUsersCache) {
  unsetenv("HEDDLE_HEADER_CACHE");
  const char *before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before ? before : "";
  setenv("XDG_CACHE_HOME", in("caches").c_str(), 1);
  const fs::path file = fileOf(withCachedHeaders(command()));
  setenv("XDG_CACHE_HOME", "/dev/null/none", 1);
  const std::vector<std::string> withoutPlace = withCachedHeaders(command());
  before ? setenv("XDG_CACHE_HOME", kept.c_str(), 1) : unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(file.parent_path(), fs::path(in("caches/heddle/headers")));
  EXPECT_EQ(withoutPlace, command());
}
