// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/Distribute.h"

#include "transform/LoopDirectives.h"

using namespace heddle;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class Distribute : public heddle::testing::LoopCases {
protected:
  Distribute() : LoopCases("distribute", transform::distributeLoop, transform::loopsToDistribute) {}
};

std::string loop(const std::string &statements, const std::string &head = "int i = 0; i < n; ++i") {
  return "  for (" + head + ") {\n" + statements + "  }\n";
}

} // namespace

TEST_F(Distribute, StatementsThatDoNotNeedEachOtherGetLoopsOfTheirOwn) {
  expect(loop("    a[i] = c[i];\n    b[i] = c[i + 1]; // second\n"),
         HasSubstr("  for (int i = 0; i < n; ++i)\n    a[i] = c[i];\n"
                   "  for (int i = 0; i < n; ++i)\n    b[i] = c[i + 1]; // second\n}"));
  // What is needed an iteration later comes first.
  expect(loop("    b[i] = a[i - 1];\n    a[i] = c[i];\n"),
         HasSubstr("    a[i] = c[i];\n  for (int i = 0; i < n; ++i)\n    b[i] = a[i - 1];\n"));
  // An index is worked out in each loop.
  expect(loop("    int at = i * 2;\n    a[at] = 1;\n    b[at] = 2;\n"),
         AllOf(HasSubstr("    int at = i * 2;\n    a[at] = 1;\n  }\n"),
               HasSubstr("    int at = i * 2;\n    b[at] = 2;\n  }\n")));
}

TEST_F(Distribute, ACircleStaysTogetherAndBothPlacesAreShown) {
  expect(loop("    b[i] = a[i - 1];\n    a[i] = b[i];\n    m[i] = i;\n"),
         HasSubstr("    b[i] = a[i - 1];\n    a[i] = b[i];\n  }\n"));
  expect(
      loop("    b[i] = a[i - 1];\n    a[i] = b[i];\n"),
      AllOf(HasSubstr("refused: distribute: this read of 'a[i - 1]' depends on the write of 'a[i]' at line"),
            HasSubstr("an iteration before |     b[i] = a[i - 1]; |     a[i] = b[i];")));
}

TEST_F(Distribute, AValueBecomesASmallArrayWhereTheCountIsConstant) {
  std::string statements = "    float t = a[i];\n    b[i] = t;\n    a[i] = t + 1;\n";
  expect(loop(statements, "int i = 2; i < 10; ++i"),
         HasSubstr("  float ts[8];\n  for (int i = 2; i < 10; ++i)\n    ts[i - 2] = a[i];\n"));
  expect(loop(statements), HasSubstr("'t' would have to be kept for all iterations"));
  expect(loop(statements, "int i = 0; i < 100; ++i"), HasSubstr("refused"));
}

TEST_F(Distribute, WhatHangsTogetherIsRefused) {
  expect("  float s = 0;\n" + loop("    s += c[i];\n    a[i] = s;\n"),
         HasSubstr("'s' goes from one iteration to the next"));
  expect(loop("    p[i] = c[i];\n    q[i] = c[i];\n"),
         AllOf(HasSubstr("may overlap"), HasSubstr("__restrict__")));
  expect(loop("    a[i] = 1;\n    __syncthreads();\n    b[i] = 1;\n"),
         HasSubstr("'__syncthreads' stands inside"));
  expect(loop("    a[i] = 1;\n    if (c[i] > 0)\n      continue;\n    b[i] = 1;\n"), HasSubstr("'continue'"));
  expect(loop("    int at = i;\n    a[at] = 1;\n"), HasSubstr("there is only one statement to be done"));
}
