// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether translation units mean the same when they are read as one text.
#include "source/ProgramFiles.h"
#include "support/Files.h"
#include "support/Paths.h"

#include <gtest/gtest.h>

namespace fs = std::filesystem;
using namespace heddle;
using namespace heddle::source;
using Kind = ProgramReading::Kind;

namespace {

class ReadingTest : public ::testing::Test {
protected:
  TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path());

  void write(const std::string &name, const std::string &text) { writeFileOrThrow(root / name, text); }
  ProgramReading read(const std::vector<std::string> &names) {
    CompileOptions options;
    options.cudaPath = "none";
    std::vector<ProgramFile> files;
    for (const std::string &name : names)
      files.push_back({root / name, options});
    return readSeparately(files, root / "joined.cu");
  }
  /// Two units with this text.
  ProgramReading read(const std::string &first, const std::string &second) {
    write("first.cu", first);
    write("second.cu", second);
    return read(std::vector<std::string>{"first.cu", "second.cu"});
  }
  static std::string reason(const ProgramReading &reading) {
    return reading.diagnostics.empty() ? "" : reading.diagnostics.all().front().text;
  }
};

TEST_F(ReadingTest, unitsThatShareAHeaderMeanTheSame) {
  write("k.h", "#pragma once\n#define SIZE 64\n"
               "template <class T> __global__ void k(T *a) { a[threadIdx.x] = T(SIZE); }\n");
  const ProgramReading reading = read(
      "#include \"k.h\"\nvoid f(float *a) { k<<<1, SIZE>>>(a); }\n",
      "#include \"k.h\"\nvoid f(float *a);\nint main() { k<<<1, SIZE>>>((int *)nullptr); f(nullptr); }\n");
  EXPECT_EQ(reading.kind, Kind::Same) << reason(reading) << reading.compilerMessages;
  EXPECT_EQ(reading.separate.files(),
            (std::set<fs::path>{root / "first.cu", root / "k.h", root / "second.cu"}));
  EXPECT_EQ(reading.inclusions.at(root / "second.cu").at("\"k.h\""), root / "k.h");
}

TEST_F(ReadingTest, lineAndCounterMacrosAreNoDifference) {
  write("check.h",
        "#pragma once\n#define JOIN(a, b) a##b\n#define NAME(a, b) JOIN(a, b)\n"
        "#define CHECK(x) int NAME(failed, __LINE__) = (x) ? __LINE__ : __COUNTER__; const char *NAME(file, "
        "__COUNTER__) = __FILE__ #x\n");
  const ProgramReading reading = read("#include \"check.h\"\n\n\nvoid f() { CHECK(1 > 0); }\n",
                                      "#include \"check.h\"\nvoid f();\nint main() { CHECK(2 > 0); f(); }\n");
  EXPECT_EQ(reading.kind, Kind::Same) << reason(reading);
}

TEST_F(ReadingTest, aClashOfStaticNamesIsNamed) {
  const ProgramReading reading = read("static int helper() { return 1; }\nvoid f() { helper(); }\n",
                                      "static int helper() { return 2; }\nint main() { return helper(); }\n");
  EXPECT_EQ(reading.kind, Kind::Different);
  EXPECT_EQ(reason(reading), "the files cannot be read as one program: redefinition of 'helper'");
  ASSERT_EQ(reading.diagnostics.all().front().notes.size(), 1u);
  EXPECT_TRUE(reading.diagnostics.all().front().notes[0].location.file.ends_with("first.cu"));
}

TEST_F(ReadingTest, aMacroOfAnotherUnitIsFound) {
  const ProgramReading reading =
      read("#define SIZE 128\nint first = SIZE;\n",
           "int before;\n#ifndef SIZE\n#define SIZE 64\n#endif\nint main() { return SIZE; }\n");
  EXPECT_EQ(reading.kind, Kind::Different);
  EXPECT_EQ(reading.diagnostics.all().front().location.line, 5u) << reason(reading);
}

TEST_F(ReadingTest, aHeaderThatReadsDifferentlyIsFound) {
  write("k.h", "#pragma once\n#ifdef WIDE\nint size() { return 128; }\n#else\nstatic int size() { return 64; "
               "}\n#endif\n");
  const ProgramReading reading = read("#define WIDE\n#include \"k.h\"\nint first = size();\n",
                                      "#include \"k.h\"\nint main() { return size(); }\n");
  EXPECT_EQ(reading.kind, Kind::Different);
}

TEST_F(ReadingTest, aHeaderOfMacrosThatIsReadSeveralTimesIsNoDifference) {
  write("list.def", "ROW(one)\nROW(two)\n");
  const ProgramReading reading = read(
      "#define ROW(name) int name = 1;\n#include \"list.def\"\n#undef ROW\n",
      "#define ROW(name) extern int name;\n#include \"list.def\"\n#undef ROW\nint main() { return one; }\n");
  EXPECT_EQ(reading.kind, Kind::Same) << reason(reading);
}

TEST_F(ReadingTest, anOverloadOfAnotherUnitIsFound) {
  const ProgramReading reading =
      read("static int size(double) { return 128; }\nint first = size(1.0);\n",
           "static int size(float) { return 64; }\nint main() { return size(1.0); }\n");
  EXPECT_EQ(reading.kind, Kind::Different);
  EXPECT_NE(reason(reading).find("size of type int (double)"), std::string::npos) << reason(reading);
}

TEST_F(ReadingTest, anOverloadThatATemplateFindsInAnotherUnitIsFound) {
  write("t.h", "#pragma once\nstruct X {};\ntemplate <class T> int both(T x) { return size(x, 1.0); }\n");
  const ProgramReading reading =
      read("#include \"t.h\"\nint size(X, double) { return 128; }\nint unused = size(X(), 1.0);\n",
           "#include \"t.h\"\nstatic int size(X, float) { return 64; }\nint main() { return both(X()); }\n");
  EXPECT_EQ(reading.kind, Kind::Different);
}

TEST_F(ReadingTest, aUnitThatDoesNotCompileIsNamed) {
  const ProgramReading reading = read("int first;\n", "int main() { return nothing; }\n");
  EXPECT_EQ(reading.kind, Kind::DoesNotCompile);
  EXPECT_EQ(reading.failed, root / "second.cu");
  EXPECT_EQ(firstError(reading.compilerMessages), "use of undeclared identifier 'nothing'");
}

} // namespace
