// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/Interchange.h"

#include "transform/LoopDirectives.h"

using namespace heddle;
using heddle::testing::loopKernel;
using heddle::testing::optimized;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class Interchange : public heddle::testing::LoopCases {
protected:
  Interchange() : LoopCases("interchange", transform::interchangeLoops, transform::loopsToInterchange) {}
};

std::string nest(const std::string &statement) {
  return "  for (int i = 1; i < n; ++i) // rows\n    for (int j = 0; j < 15; ++j)\n      " + statement + "\n";
}

} // namespace

TEST_F(Interchange, HeadsChangePlacesAndNothingElseMoves) {
  expect(nest("a[i * 16 + j] = c[j];"),
         HasSubstr("  for (int j = 0; j < 15; ++j) // rows\n"
                   "    for (int i = 1; i < n; ++i)\n      a[i * 16 + j] = c[j];\n"));
}

TEST(InterchangeTwice, IsAsBefore) {
  std::string text = loopKernel(nest("a[i * 16 + j] = c[j];"));
  EXPECT_EQ(optimized(text, "interchange; interchange"), text);
}

TEST_F(Interchange, DependencesDecideAndBothPlacesAreShown) {
  expect(nest("a[i * 16 + j] = a[i * 16 + j - 16];"), Not(HasSubstr("refused")));
  expect(nest("a[i * 16 + j + 1] = a[i * 16 + j - 16];"), Not(HasSubstr("refused")));
  expect(nest("a[i * 16 + j] =\n          a[i * 16 + j - 15];"),
         AllOf(HasSubstr("depends on"), HasSubstr(" |       a[i * 16 + j] ="),
               HasSubstr(" |           a[i * 16 + j - 15];")));
}

TEST_F(Interchange, AFloatingPointSumKeepsItsOrder) {
  expect(
      "  float s = 0;\n" + nest("s += c[i * 16 + j];") + "  a[0] = s;\n",
      HasSubstr("'s' goes from one iteration to the next: interchanged, it would see them in another order"));
  expect(nest("a[0] += c[i * 16 + j];"), HasSubstr("refused"));
}

TEST_F(Interchange, NestsThatAreNotRectangularOrHoldABarrierAreRefused) {
  expect("  for (int i = 0; i < n; ++i)\n    for (int j = i; j < n; ++j)\n      a[i * n + j] = 1;\n",
         HasSubstr("its head depends on 'i'"));
  expect("  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < n; ++j) {\n      a[i] += 1;\n"
         "      __syncwarp();\n    }\n",
         HasSubstr("'__syncwarp' stands inside"));
}

TEST(InterchangeLine, ANestThatIsNotPerfectIsRefused) {
  EXPECT_THAT(
      optimized(loopKernel("  for (int i = 0; i < n; ++i) {\n    b[i] = 0;\n    for (int j = 0; j < n; ++j)\n"
                           "      a[i * n + j] = 1;\n  }\n"),
                "interchange line=3"),
      HasSubstr("its body is not one loop and nothing else"));
}
