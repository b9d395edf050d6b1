// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/Fuse.h"

#include "transform/LoopDirectives.h"

using namespace heddle;
using heddle::testing::loopKernel;
using heddle::testing::optimized;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class Fuse : public heddle::testing::LoopCases {
protected:
  Fuse() : LoopCases("fuse", transform::fuseLoops, transform::loopsToFuse) {}
};

std::string two(const std::string &first, const std::string &second,
                const std::string &head = "int j = 0; j < n; ++j") {
  return "  for (int i = 0; i < n; ++i)\n    " + first + "\n  for (" + head + ")\n    " + second + "\n";
}

} // namespace

TEST_F(Fuse, TheSecondBodyFollowsTheFirstUnderItsNames) {
  expect(two("a[i] = c[i];", "b[j] = a[j];"),
         HasSubstr("  for (int i = 0; i < n; ++i) {\n    a[i] = c[i];\n    b[i] = a[i];\n  }\n}"));
}

TEST_F(Fuse, AnElementOfALaterIterationIsShownWithBothPlaces) {
  expect(two("a[i] = c[i];", "b[j] = a[j + 1];"),
         AllOf(HasSubstr("this read of 'a[j + 1]' depends on the write of 'a[i]' at line"),
               HasSubstr("and would come before it |     b[j] = a[j + 1]; |     a[i] = c[i];")));
  expect(two("a[i] = c[i];", "b[j] = a[j - 1];"), Not(HasSubstr("refused")));
}

TEST_F(Fuse, OtherValuesAreRefused) {
  const char *reason = "it does not certainly run over the same values as the loop at line";
  for (const char *head : {"int j = 1; j < n; ++j", "int j = 0; j < w; ++j", "int j = 0; j <= n; ++j",
                           "unsigned j = 0; j < n; ++j"})
    expect(two("a[i] = 1;", "b[j] = 2;", head), HasSubstr(reason));
  expect(two("n -= c[i] > 0;", "b[j] = 2;"), HasSubstr("its head depends on 'n'"));
}

TEST_F(Fuse, AVariableThatOneChangesAndTheOtherUsesKeepsThemApart) {
  expect("  float s = 0;\n" + two("s += c[i];", "a[j] = s;"),
         HasSubstr("'s' is changed by one of the loops and used by the other"));
  expect("  float s = 0, t = 0;\n" + two("s += c[i];", "t += c[j];") + "  a[0] = s + t;\n",
         HasSubstr("    s += c[i];\n    t += c[i];\n"));
}

TEST_F(Fuse, NamesThatWouldBeCapturedAreTakenApart) {
  expect("  int i = 3;\n" + two("a[i] = 1;", "b[j] = i;"),
         HasSubstr("  for (int i2 = 0; i2 < n; ++i2) {\n    a[i2] = 1;\n    b[i2] = i;\n  }\n"));
}

TEST(FuseLine, ThereMustBeALoopRightBehind) {
  EXPECT_THAT(optimized(loopKernel("  for (int i = 0; i < n; ++i)\n    a[i] = 1;\n  b[0] = 1;\n"
                                   "  for (int i = 0; i < n; ++i)\n    b[i] = 1;\n"),
                        "fuse line=3"),
              HasSubstr("no 'for' loop stands right behind this one"));
}
