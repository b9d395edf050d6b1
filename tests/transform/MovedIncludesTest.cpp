// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/MovedIncludes.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gtest/gtest.h>

namespace fs = std::filesystem;
using namespace heddle;
using transform::withMovedIncludes;

namespace {

class MovedIncludesTest : public ::testing::Test {
protected:
  TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path()), from = root / "project/src", to = root / "out/deep";

  MovedIncludesTest() {
    makeFolder(from / "inner");
    makeFolder(to);
    for (const char *name : {"a.h", "inner/b.h"})
      writeFileOrThrow(from / name, "");
  }
  std::string moved(const std::string &text) const { return withMovedIncludes(text, from, to); }
};

} // namespace

TEST_F(MovedIncludesTest, FilesBesideTheInputAreFoundFromTheNewFolder) {
  EXPECT_EQ(
      moved("#include \"a.h\" // why\n  #  include \"inner/b.h\"\nint x;"),
      "#include \"../../project/src/a.h\" // why\n  #  include \"../../project/src/inner/b.h\"\nint x;");
  EXPECT_EQ(moved("#if __has_include(\"a.h\") && __has_include( \"c.h\")\r\n"),
            "#if __has_include(\"../../project/src/a.h\") && __has_include( \"c.h\")\r\n");
}

TEST_F(MovedIncludesTest, OtherLinesAreUnchanged) {
  for (const std::string text : {"#include <a.h>\n", "#include \"through-I.h\"\n", "#include NAME\n",
                                 "#include <cstdio> // not \"a.h\"\n", "const char *s = \"a.h\";\n",
                                 "#if N // \"a.h\"\n", "#define X \"a.h\"\n", "\n\n", ""})
    EXPECT_EQ(moved(text), text);
}

TEST_F(MovedIncludesTest, NothingChangesInTheSameFolder) {
  EXPECT_EQ(withMovedIncludes("#include \"a.h\"\n", from, from / "inner/.."), "#include \"a.h\"\n");
  fs::create_directory_symlink(from, root / "link");
  EXPECT_EQ(withMovedIncludes("#include \"a.h\"\n", from, root / "link"), "#include \"a.h\"\n");
}

TEST_F(MovedIncludesTest, AFileOfTheNewFolderDoesNotTakeThePlaceOfOne) {
  writeFileOrThrow(to / "through-I.h", "");
  writeFileOrThrow(to / "a.h", "");
  EXPECT_EQ(moved("#include \"through-I.h\"\n"), "#include <through-I.h>\n");
  EXPECT_EQ(moved("#include \"a.h\"\n"), "#include \"../../project/src/a.h\"\n");
}

TEST_F(MovedIncludesTest, FarFoldersAreNamedByAbsolutePaths) {
  EXPECT_EQ(withMovedIncludes("#include \"a.h\"\n", from, "/usr"),
            "#include \"" + (from / "a.h").string() + "\"\n");
}
