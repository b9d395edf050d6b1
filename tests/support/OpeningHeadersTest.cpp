// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/OpeningHeaders.h"

#include "support/Paths.h"

#include <gtest/gtest.h>

#include <fstream>

namespace fs = std::filesystem;
using namespace heddle;

namespace {

using Names = std::vector<std::string>;

class OpeningOfAFile : public ::testing::Test {
protected:
  void write(const char *name, const std::string &text) {
    fs::create_directories((folder.path() / name).parent_path());
    std::ofstream(folder.path() / name) << text;
  }
  Names of(const std::string &text, const Names &command = {}) {
    return openingHeaders(text, folder.path(), command).names;
  }

  TemporaryFolder folder;
};

} // namespace

TEST_F(OpeningOfAFile, AreThoseOfTheStandardLibraryAndOurOwnSorted) {
  EXPECT_EQ(of("\xEF\xBB\xBF// a comment\n/* another\n one */ #include <vector> // of them\n\n  # include "
               "<string>\r\n"
               "#include <cstdio>\n#include <cuda_runtime.h>\n#include <heddle/pipeline.cuh>\n"
               "#pragma heddle coarsen x=2\n#include <algorithm>\nint x;\n"),
            (Names{"algorithm", "heddle/pipeline.cuh", "string", "vector"}));
  EXPECT_EQ(of(""), Names());
  EXPECT_EQ(of("/* without an end\n#include <vector>\n"), Names());
}

TEST_F(OpeningOfAFile, AHeaderOfOursInWhichAMacroWouldBeReplacedIsNotAmongThem) {
  const std::string rest = "#include <vector>\n#include <heddle/launch.cuh>\n#include <heddle/kinds.cuh>\n";
  EXPECT_EQ(of("#define X 3\n" + rest), (Names{"heddle/kinds.cuh", "vector"}));
  EXPECT_EQ(of(rest + "#define X 3\n"), (Names{"heddle/kinds.cuh", "heddle/launch.cuh", "vector"}));
  write("macros.h", "#define X 3\n");
  EXPECT_EQ(of("#include \"macros.h\"\n" + rest), (Names{"heddle/kinds.cuh", "vector"}));
  EXPECT_EQ(of(rest, {"-include", (folder.path() / "macros.h").string()}),
            (Names{"heddle/kinds.cuh", "vector"}));
}

TEST_F(OpeningOfAFile, WhatComesAfterALineThatMayChangeThemIsNotAmongThem) {
  for (const char *line :
       {"#undef X", "#pragma pack(1)", "#include <boost/any.hpp>", "#include MACRO", "#include \"missing.h\"",
        "const char *text = R\"(", "#ifdef A\n#include \"there.h\"\n#endif",
        "#ifndef _WIN32\n#pragma pack(1)\n#endif", "#if defined(_WIN32) || defined(A)\n#undef X\n#endif",
        "#if defined(_WIN32) && 0\n#undef X\n#endif", "#ifdef _WIN32\n#else\n#undef X\n#endif"}) {
    write("there.h", "");
    EXPECT_EQ(of(std::string("#include <vector>\n") + line + "\n#include <map>\n"), (Names{"vector"}))
        << line;
  }
}

TEST_F(OpeningOfAFile, MacrosWithReservedNamesAreListedWithWhatComesBeforeThem) {
  for (const auto &[line, macro] : {std::pair{"#define NDEBUG", "NDEBUG"},
                                    {"#define _GNU_SOURCE", "_GNU_SOURCE"},
                                    {"#  define _GLIBCXX_DEBUG 1", "_GLIBCXX_DEBUG"},
                                    {"#define _LIMIT(x) x", "_LIMIT"},
                                    {"#ifdef A\n#define _B\n#endif", "_B"}}) {
    const OpeningHeaders opening = openingHeaders(
        std::string("#include <vector>\n") + line + "\n#include <map>\n#define _Z 1\n", folder.path(), {});
    EXPECT_EQ(opening.names, (Names{"map", "vector"})) << line;
    EXPECT_EQ(opening.beforeMacros, Names{"vector"}) << line;
    EXPECT_EQ(opening.macros, (Names{macro, "_Z"})) << line;
  }
  EXPECT_EQ(openingHeaders("#include <map>\n", folder.path(), {}).beforeMacros, Names{"map"});
  EXPECT_EQ(openingHeaders("#ifndef _A\n#define _A\n#include <map>\n#endif\n", folder.path(), {}).macros,
            Names())
      << "a guard";
}

TEST_F(OpeningOfAFile, WhatIsForOtherSystemsIsSkipped) {
  for (const char *line :
       {"#ifdef _WIN32\n#include <windows.h>\n#undef min\n#if A\n#else\n#pragma pack(1)\n#endif\n#endif",
        "#if defined(WIN32) || defined _MSC_VER\n#define _CRT_SECURE_NO_WARNINGS\n#else\n#include "
        "<set>\n#endif",
        "#ifdef __APPLE__\n#include \"missing.h\"\n#elif A\n#include <list>\n#else\n#include "
        "<list>\n#endif"}) {
    const OpeningHeaders opening =
        openingHeaders(std::string(line) + "\n#include <map>\n", folder.path(), {});
    EXPECT_EQ(opening.names,
              std::string(line).find("<set>") == std::string::npos ? Names{"map"} : (Names{"map", "set"}))
        << line;
    EXPECT_EQ(opening.macros, Names()) << line;
  }
}

TEST_F(OpeningOfAFile, WhatComesAfterOtherLinesIs) {
  for (const char *line :
       {"#define CHECK(call) check(call)", "int x = 1'000;", "#if X\n#endif", "#ifndef X\n#define X\n#endif",
        "#ifdef X\n#include <set>\n#else\n#include <cub/cub.cuh>\n#endif", "#pragma unroll 4", "#line 3",
        "#line 1 \"other.cu\"", "template <class T> class A;", "const char *text = \"/*\";",
        "char c = '\"', d = '\\'';", "/*\n#include <set>\n*/", "// #define NDEBUG",
        "const char *text = \"\\\"/*\";"})
    EXPECT_EQ(of(std::string("#include <vector>\n") + line + "\n#include <map>\n"), (Names{"map", "vector"}))
        << line;
}

TEST_F(OpeningOfAFile, OurOwnAreNotWhereAMacroOrATextOfOursComesFirst) {
  for (const char *line :
       {"#define HEDDLE_OWN_SORT", "#ifndef HEDDLE_LAUNCH_CUH\n#define HEDDLE_LAUNCH_CUH\n#endif"})
    EXPECT_EQ(of(std::string(line) + "\n#include <heddle/regroup.cuh>\n#include <map>\n"), (Names{"map"}))
        << line;
}

TEST_F(OpeningOfAFile, OfAToolkitAreTheLargeOnes) {
  const std::string text = "#include <cuda_runtime.h>\n#include <cooperative_groups.h>\n#include <mma.h>\n"
                           "#include <cub/cub.cuh>\n#include <cuda/barrier>\n#include <vector>\n";
  EXPECT_EQ(of(text), (Names{"cooperative_groups.h", "cuda/barrier", "mma.h", "vector"}));
  EXPECT_EQ(of(text, {"clang", "-nocudainc"}), (Names{"vector"})) << "ours are small";
  EXPECT_EQ(of("#define CUDA_NO_HALF\n" + text), (Names{"vector"})) << "they look at such macros";
  EXPECT_EQ(of("#define CHECK(call) check(call)\n#include <mma.h>\n"), (Names{"mma.h"}));
  EXPECT_EQ(of("#ifndef GUARD\n#define GUARD\n#include <cuda_fp16.h>\n#endif\n"), (Names{"cuda_fp16.h"}));
  EXPECT_EQ(of("#ifdef HALF\n#include <cuda_fp16.h>\n#endif\n"), Names());
}

TEST_F(OpeningOfAFile, OfTheUsersHeadersAreReadTheSameWay) {
  write("once.h", "#pragma once\n#include <vector>\n");
  write("guarded.h",
        "#ifndef GUARDED\n#define GUARDED\n#include \"once.h\"\n#include <map>\n#endif // GUARDED\n");
  write("code.h", "#pragma once\n#include <string>\ninline int code;\n#include <set>\n");
  write("behind.h", "#ifndef BEHIND\n#define BEHIND\n#endif\n#define NDEBUG\n");
  write("choice.h", "#ifndef NDEBUG\n#include <map>\n#endif\n");
  write("inc/far.h", "#include \"near.h\"\n#include <list>\n");
  write("inc/near.h", "#include <deque>\n");
  write("empty.h", "");
  write("loop.h", "#include \"loop.h\"\n#include <deque>\n");
  EXPECT_EQ(of("#include \"once.h\"\n#include <set>\n"), (Names{"set", "vector"}));
  EXPECT_EQ(of("#include \"guarded.h\"\n#include \"once.h\"\n#include <set>\n"),
            (Names{"map", "set", "vector"}));
  EXPECT_EQ(of("#include \"code.h\"\n#include <map>\n"), (Names{"map", "set", "string"}));
  EXPECT_EQ(openingHeaders("#include \"behind.h\"\n#include <map>\n", folder.path(), {}).beforeMacros,
            Names());
  EXPECT_EQ(of("#include \"choice.h\"\n#include <set>\n"), (Names{"set"}));
  EXPECT_EQ(of("#include \"empty.h\"\n#include <set>\n"), (Names{"set"}));
  EXPECT_EQ(of("#include \"loop.h\"\n"), (Names{"deque"}));
  EXPECT_EQ(of("#include \"far.h\"\n#include <map>\n"), Names());
  const std::string inc = (folder.path() / "inc").string();
  EXPECT_EQ(of("#include \"far.h\"\n#include <map>\n", {"clang", "-I" + inc}),
            (Names{"deque", "list", "map"}));
  EXPECT_EQ(of("#include \"far.h\"\n#include <map>\n", {"clang", "-I", inc}),
            (Names{"deque", "list", "map"}));
  EXPECT_EQ(of("#include <far.h>\n#include <map>\n", {"clang", "-I", inc}), (Names{"deque", "list", "map"}));
  EXPECT_EQ(of("#include <near.h>\n#include <map>\n", {"clang"}), Names()) << "not in a folder of -I";
  EXPECT_EQ(of("#include \"cuda_runtime.h\"\n#include \"device_launch_parameters.h\"\n#include <map>\n"),
            Names{"map"})
      << "of the toolkit, with quotes";
  EXPECT_EQ(of("#include \"cooperative_groups.h\"\n"), Names{"cooperative_groups.h"});
}
