// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler is a script here, which writes down each time that it is run.
#include "build/CompileCache.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace heddle::build {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

struct CompileCacheTest : testing::Test {
  TemporaryFolder folder;
  const fs::path compiler = folder.path() / "compiler", kept = folder.path() / "kept";
  int sources = 0;

  CompileCacheTest() {
    // compiler SOURCE -o OUTPUT [flags] [-MD -MF RULE]: the output is the source, the header beside the compiler, and the flags.
    writeCompiler("");
    writeFileOrThrow(folder.path() / "header name.h", "header one\n");
  }
  void writeCompiler(const std::string &more) {
    writeFileOrThrow(compiler, "#!/bin/sh\n" + more + R"(
here=$(dirname "$0")
echo run >> "$here/runs"
source=$1; output=$3; shift 3; words=
while [ $# -gt 0 ]; do
  case $1 in
  -MF) printf 'x.o: %s \\\n  %s/header\\ name.h\n' "$source" "$here" > "$2"; shift ;;
  -MD) ;;
  *) words="$words $1" ;;
  esac
  shift
done
grep -q error "$source" && { echo "it does not compile" >&2; exit 1; }
cat "$source" "$here/header name.h" > "$output"
echo "flags:$words" >> "$output"
echo said; echo "a warning" >&2
)");
    fs::permissions(compiler, fs::perms::owner_all);
  }
  /// The text is in a file of its own each time.
  ProcessResult compile(const CompileCache &cache, const std::string &text,
                        const std::vector<std::string> &flags = {}, bool hasIncludes = true) {
    const fs::path place = folder.path() / std::to_string(++sources);
    fs::create_directory(place);
    writeFileOrThrow(place / "x.cu", text);
    output = place / "out put";
    std::vector<std::string> command = {compiler.string(), (place / "x.cu").string(), "-o", output.string()};
    command.insert(command.end(), flags.begin(), flags.end());
    return cache.run({command, place / "x.cu", output, {}, hasIncludes});
  }
  long runs() const {
    const std::string text = contentsOf(folder.path() / "runs");
    return std::count(text.begin(), text.end(), '\n');
  }
  fs::path onlyEntry() const { return fs::directory_iterator(kept)->path(); }

  fs::path output;
};

TEST_F(CompileCacheTest, TheSameIsCompiledOnce) {
  const CompileCache cache(kept);
  for (int i = 0; i < 3; ++i) {
    const ProcessResult done = compile(cache, "text\n", {"-O2"});
    EXPECT_TRUE(done.succeeded());
    EXPECT_EQ(done.standardOutput, "said\n");
    EXPECT_EQ(done.standardError, "a warning\n");
    EXPECT_EQ(contentsOf(output), "text\nheader one\nflags: -O2\n");
  }
  EXPECT_EQ(runs(), 1);
  compile(CompileCache(kept), "text\n", {"-O2"}); // another process
  EXPECT_EQ(runs(), 1);
}

TEST_F(CompileCacheTest, AHeaderThatWouldBeFoundInsteadIsNoticed) {
  const CompileCache cache(kept);
  const fs::path earlier = folder.path() / "earlier";
  fs::create_directory(earlier);
  for (const std::string &flag : {"-I" + earlier.string(), "-I=" + earlier.string()}) {
    const long before = runs();
    compile(cache, "text\n", {flag});
    compile(cache, "text\n", {flag});
    EXPECT_EQ(runs(), before + 1);
    writeFileOrThrow(earlier / "header name.h", "another\n");
    compile(cache, "text\n", {flag});
    EXPECT_EQ(runs(), before + 2);
    compile(cache, "text\n", {flag});
    EXPECT_EQ(runs(), before + 2) << "it is known now";
    fs::remove(earlier / "header name.h");
  }
}

TEST_F(CompileCacheTest, AHeaderThatIsAskedForIsNoticed) {
  const CompileCache cache(kept);
  const std::string text = "#if __has_include(\"config.h\")\n#include \"config.h\"\n#endif\n",
                    flag = "-I" + folder.path().string();
  compile(cache, text, {flag});
  compile(cache, text, {flag});
  EXPECT_EQ(runs(), 1);
  writeFileOrThrow(folder.path() / "config.h", "");
  compile(cache, text, {flag});
  EXPECT_EQ(runs(), 2);
  compile(cache, "#if __has_include(CONFIG)\n#endif\n", {flag});
  compile(cache, "#if __has_include(CONFIG)\n#endif\n", {flag});
  EXPECT_EQ(runs(), 4) << "what a macro names is not known here";
}

TEST_F(CompileCacheTest, MessagesAloneAreKeptWhereNothingElseIsWanted) {
  const CompileCache cache(kept);
  writeFileOrThrow(folder.path() / "x.ptx", "text\n");
  for (int i = 0; i < 2; ++i) {
    const ProcessResult done =
        cache.run({{compiler.string(), (folder.path() / "x.ptx").string(), "-o", "/dev/null"},
                   folder.path() / "x.ptx",
                   {},
                   {},
                   false});
    EXPECT_TRUE(done.succeeded());
    EXPECT_EQ(done.standardError, "a warning\n");
  }
  EXPECT_EQ(runs(), 1);
}

TEST_F(CompileCacheTest, WhateverChangesIsCompiledAgain) {
  const CompileCache cache(kept);
  compile(cache, "text\n");
  compile(cache, "other text\n");
  EXPECT_EQ(runs(), 2);
  compile(cache, "text\n", {"-O3"});
  EXPECT_EQ(runs(), 3);
  writeFileOrThrow(folder.path() / "header name.h", "header number two\n");
  compile(cache, "text\n");
  EXPECT_EQ(runs(), 4) << "a header";
  EXPECT_EQ(contentsOf(output), "text\nheader number two\nflags:\n");
  writeCompiler("# a newer one");
  compile(cache, "text\n");
  EXPECT_EQ(runs(), 5) << "the compiler";
  compile(cache, "text\n");
  EXPECT_EQ(runs(), 5);
}

TEST_F(CompileCacheTest, WhatFailsOrHasTheTimeIsNotKept) {
  const CompileCache cache(kept);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(compile(cache, "error\n").succeeded());
    EXPECT_TRUE(compile(cache, "made at __TIME__\n").succeeded());
  }
  EXPECT_EQ(runs(), 4);
}

TEST_F(CompileCacheTest, WhatHasTheTimeFromAHeaderIsNotKept) {
  writeFileOrThrow(folder.path() / "header name.h", "__DATE__\n");
  const CompileCache cache(kept);
  compile(cache, "text\n");
  compile(cache, "text\n");
  EXPECT_EQ(runs(), 2);
}

TEST_F(CompileCacheTest, WhereTheSourceIsDecidesUnlessItIsACopy) {
  // Not in a folder of ours for temporary files: such a source would not be found again.
  std::string pattern = (fs::temp_directory_path() / "place-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(pattern.data()));
  const fs::path place = pattern;
  const CompileCache cache(kept, CompileCache::usualBytes, SourcePlace::Matters);
  const auto compileAt = [&](const fs::path &file) {
    fs::create_directories(file.parent_path());
    writeFileOrThrow(file, "text\n");
    output = folder.path() / "out";
    return cache.run({{compiler.string(), file.string(), "-o", output.string()}, file, output, {}});
  };
  compileAt(place / "one" / "x.cu");
  compileAt(place / "one" / "x.cu");
  EXPECT_EQ(runs(), 1);
  compileAt(place / "two" / "x.cu");
  EXPECT_EQ(runs(), 2) << "messages name another file";
  const auto entries = [&] { return std::distance(fs::directory_iterator(kept), fs::directory_iterator()); };
  EXPECT_EQ(entries(), 2);
  compileAt(folder.path() / "x.cu");
  compileAt(folder.path() / "x.cu");
  EXPECT_EQ(runs(), 4) << "a temporary file";
  EXPECT_EQ(entries(), 2);
  fs::remove_all(place);
}

TEST_F(CompileCacheTest, AFasterCommandIsAskedForWhereSomethingIsCompiled) {
  const CompileCache cache(kept);
  writeFileOrThrow(folder.path() / "x.cu", "text\n");
  int asked = 0;
  const auto run = [&](const CompileCache &with) {
    CompileStep step{{compiler.string(), folder.path() / "x.cu", "-o", folder.path() / "out"},
                     folder.path() / "x.cu",
                     folder.path() / "out",
                     {}};
    step.faster = [&, usual = step.command] {
      std::vector<std::string> words = usual;
      words.push_back("-faster" + std::to_string(++asked));
      return words;
    };
    with.run(step);
    return contentsOf(folder.path() / "out");
  };
  EXPECT_EQ(run(cache), "text\nheader one\nflags: -faster1\n");
  EXPECT_EQ(run(cache), "text\nheader one\nflags: -faster1\n");
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(run(CompileCache()), "text\nheader one\nflags: -faster2\n");
}

TEST_F(CompileCacheTest, WhatTheCommandNamesIsPartOfIt) {
  const CompileCache cache(kept);
  const fs::path plugin = folder.path() / "plugin.so", library = folder.path() / "library.so";
  writeFileOrThrow(plugin, "one");
  writeFileOrThrow(library, "one");
  writeFileOrThrow(folder.path() / "x.cu", "text\n");
  const auto run = [&] {
    CompileStep step{{compiler.string(), folder.path() / "x.cu", "-o", folder.path() / "out",
                      "-fpass-plugin=" + plugin.string(), "-lrary"},
                     folder.path() / "x.cu",
                     folder.path() / "out",
                     {}};
    step.linked = {library};
    cache.run(step);
    return runs();
  };
  EXPECT_EQ(run(), 1);
  EXPECT_EQ(run(), 1);
  writeFileOrThrow(plugin, "another");
  EXPECT_EQ(run(), 2);
  writeFileOrThrow(library, "another");
  EXPECT_EQ(run(), 3);
  EXPECT_EQ(run(), 3);
}

TEST_F(CompileCacheTest, ADamagedEntryIsReplaced) {
  const CompileCache cache(kept);
  compile(cache, "text\n");
  std::string entry = contentsOf(onlyEntry());
  for (const std::string &damaged : {entry.substr(0, entry.size() - 3),
                                     [&] {
                                       std::string other = entry;
                                       other[other.size() - 3] ^= 1;
                                       return other;
                                     }(),
                                     std::string(), std::string("no hash\n{}\n")}) {
    writeFileOrThrow(onlyEntry(), damaged);
    const long before = runs();
    compile(cache, "text\n");
    EXPECT_EQ(runs(), before + 1);
    EXPECT_EQ(contentsOf(output), "text\nheader one\nflags:\n");
    compile(cache, "text\n");
    EXPECT_EQ(runs(), before + 1);
  }
}

TEST_F(CompileCacheTest, WhatWasNotUsedForTheLongestTimeIsRemoved) {
  const CompileCache cache(kept, 1000);
  compile(cache, std::string(400, 'a') + "\n");
  const fs::path old = onlyEntry();
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  compile(cache, std::string(400, 'b') + "\n");
  EXPECT_FALSE(fs::exists(old)) << "both are larger than 1000 bytes";
  compile(cache, std::string(400, 'c') + "\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(kept), fs::directory_iterator()), 2)
      << "what was used a moment ago stays";
}

TEST_F(CompileCacheTest, ManyWritersDoNotDisturbEachOther) {
  const CompileCache cache(kept);
  std::vector<std::thread> writers;
  const auto write = [&](int number) {
    const fs::path place = folder.path() / ("writer" + std::to_string(number));
    fs::create_directory(place);
    writeFileOrThrow(place / "x.cu", "text\n");
    for (int i = 0; i < 5; ++i) {
      const fs::path out = place / "out";
      EXPECT_TRUE(cache
                      .run({{compiler.string(), (place / "x.cu").string(), "-o", out.string()},
                            place / "x.cu",
                            out,
                            {}})
                      .succeeded());
      EXPECT_EQ(contentsOf(out), "text\nheader one\nflags:\n");
    }
  };
  for (int i = 0; i < 4; ++i)
    writers.emplace_back(write, i);
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_LE(runs(), 4);
  EXPECT_EQ(std::distance(fs::directory_iterator(kept), fs::directory_iterator()), 1);
}

TEST_F(CompileCacheTest, WithoutAFolderEverythingIsCompiled) {
  compile(CompileCache(), "text\n");
  compile(CompileCache(), "text\n");
  EXPECT_EQ(runs(), 2);
}

TEST(MakeRules, FilesAreReadAsCompilersWriteThem) {
  EXPECT_THAT(filesOfMakeRule("x.o: a.cu /b/c\\ d.h \\\n  e$$f.h \\\n\tg\\#h.h\n"),
              ElementsAre("a.cu", "/b/c d.h", "e$f.h", "g#h.h"));
  EXPECT_THAT(filesOfMakeRule(""), testing::IsEmpty());
}

} // namespace
} // namespace heddle::build
