// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launcher/IncludeScan.h"

#include "support/Files.h"
#include "support/Paths.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::launcher;
using testing::ElementsAre;
namespace fs = std::filesystem;

namespace {

class IncludeScan : public testing::Test {
protected:
  void write(const std::string &name, const std::string &text) {
    fs::create_directories((folder.path() / name).parent_path());
    writeFileOrThrow(folder.path() / name, text);
  }
  Scan scan(const std::string &name, SystemHeaders system = SystemHeaders::No) {
    const std::string here = folder.path().string() + "/";
    return scanIncludes(here + name,
                        IncludeFolders::of({"-D", "-Iodd", "-I", here + "user", "-I" + here + "more",
                                            "-isystem", here + "sys", "-iquote", here + "quoted"}),
                        system);
  }
  std::vector<std::string> names(const Scan &found) {
    std::vector<std::string> all;
    for (const ScannedFile &file : found.files)
      all.push_back(file.path.lexically_relative(folder.path()).string());
    return all;
  }
  TemporaryFolder folder;
};

} // namespace

TEST_F(IncludeScan, FollowsHeadersOfTheUser) {
  write("src/a.cu",
        "#include \"b.h\"\n  # include <c.h>\n#include <vector>\n#ifdef NO\n#include \"d.h\"\n#endif\n");
  write("src/b.h", "#include \"e.h\"\n#include \"q.h\"\n#include \"b.h\"\n");
  write("user/c.h", "#include <s.h>\n");
  write("src/d.h", "");
  write("src/e.h", "");
  write("quoted/q.h", "");
  write("sys/s.h", "#pragma heddle coarsen x=2\n");
  const Scan found = scan("src/a.cu");
  EXPECT_THAT(names(found),
              ElementsAre("src/a.cu", "src/b.h", "user/c.h", "src/d.h", "src/e.h", "quoted/q.h"));
  EXPECT_FALSE(found.mayHavePragma);
  EXPECT_FALSE(found.hasUnknown);
  EXPECT_EQ(scan("src/a.cu", SystemHeaders::Yes).files.size(), 7u);
}

TEST_F(IncludeScan, FindsPragmas) {
  write("a.cu", "int x; // #pragma heddle\n#pragma once\n");
  EXPECT_FALSE(scan("a.cu").mayHavePragma);
  write("b.cu", "int x;\n\t# pragma   heddle coarsen x=2");
  EXPECT_TRUE(scan("b.cu").mayHavePragma);
  write("c.cu", "#include \"b.cu\"\n");
  EXPECT_TRUE(scan("c.cu").mayHavePragma);
}

TEST_F(IncludeScan, FindsDirectivesInTheOperator) {
  write("a.cu", "#define UNROLL _Pragma(\"unroll\")\n#define HEDDLE 1\n");
  EXPECT_FALSE(scan("a.cu").mayHavePragma);
  write("b.cu", "_Pragma ( \"heddle coarsen x=2\")\nint a;\n");
  EXPECT_TRUE(scan("b.cu").mayHavePragma);
  write("c.cu", "#define DIRECTIVE(text) _Pragma(#text)\n");
  EXPECT_TRUE(scan("c.cu").mayHavePragma);
}

TEST_F(IncludeScan, AMacroMayNameAnyFile) {
  write("a.cu", "#include CONFIG\n");
  EXPECT_TRUE(scan("a.cu").hasUnknown);
  EXPECT_TRUE(scan("nowhere.cu").files.empty());
}
