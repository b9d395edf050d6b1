// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/Cache.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::launcher;
namespace fs = std::filesystem;

namespace {

Transformed example() {
  Transformed result;
  result.text = "int x;\n";
  result.embedded = {"inc/k.h"};
  result.messages = {{{"a.cu:1:2", "left out", "  1 | x\n"}, {{"b.h:3:4", "here", ""}}},
                     {{"a.cu:1:2", "left unchanged", ""}, {}, Message::Kind::Remark}};
  return result;
}

} // namespace

TEST(LauncherCache, GivesBackWhatWasKept) {
  TemporaryFolder folder;
  const Cache cache(folder.path() / "made on demand");
  EXPECT_FALSE(cache.find("k"));
  const Cache::Entry kept = cache.keep("k", "a.cu", example());
  const std::optional<Cache::Entry> found = cache.find("k");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, kept.file);
  EXPECT_EQ(found->file.filename(), "a.cu");
  EXPECT_EQ(contentsOf(found->file), "int x;\n");
  EXPECT_EQ(found->embedded, std::vector<std::string>{"inc/k.h"});
  EXPECT_EQ(textOf(found->messages, {}), textOf(example().messages, {}));
}

TEST(LauncherCache, KeepsThatNothingIsToBeDone) {
  TemporaryFolder folder;
  const Cache cache(folder.path());
  Transformed nothing = example();
  nothing.text.reset();
  cache.keep("k", "a.cu", nothing);
  ASSERT_TRUE(cache.find("k"));
  EXPECT_TRUE(cache.find("k")->file.empty());
  EXPECT_EQ(cache.find("k")->messages.size(), 2u);
}

TEST(LauncherCache, WhatIsBrokenIsReplaced) {
  TemporaryFolder folder;
  const Cache cache(folder.path());
  fs::create_directory(folder.path() / "k");
  writeFileOrThrow(folder.path() / "k" / "heddle.json", "{");
  EXPECT_FALSE(cache.find("k"));
  EXPECT_EQ(contentsOf(cache.keep("k", "a.cu", example()).file), "int x;\n");
}

TEST(LauncherCache, WhatIsNotUsedIsRemoved) {
  TemporaryFolder folder;
  const Cache cache(folder.path());
  cache.keep("old", "a.cu", example());
  fs::last_write_time(folder.path() / "old" / "heddle.json",
                      fs::file_time_type::clock::now() - std::chrono::hours(24 * 60));
  cache.keep("new", "a.cu", example());
  EXPECT_FALSE(cache.find("old"));
  EXPECT_TRUE(cache.find("new"));
}

TEST(LauncherCache, KeysDistinguishParts) {
  EXPECT_EQ(keyOf({"a", "b"}), keyOf({"a", "b"}));
  EXPECT_NE(keyOf({"ab", "c"}), keyOf({"a", "bc"}));
  EXPECT_NE(keyOf({"a", "b"}), keyOf({"b", "a"}));
}
