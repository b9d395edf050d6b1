// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/Branchless.h"

#include "transform/LoopDirectives.h"

using namespace heddle;
using heddle::testing::loopKernel;
using heddle::testing::optimized;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class Branchless : public heddle::testing::LoopCases {
protected:
  Branchless() : LoopCases("branchless", transform::makeBranchless, transform::branchesToSelect) {}

  void chosen(const std::string &branch, const ::testing::Matcher<std::string> &matcher) {
    expect(kernel(branch), matcher);
  }
  static std::string kernel(const std::string &branch) {
    return "  int i = threadIdx.x, k = i, z = m[i];\n  float x = c[i], y = 0;\n" + branch +
           "  a[i] = x + y + k + z;\n";
  }
};

} // namespace

TEST_F(Branchless, TwoValuesAndAChoice) {
  chosen("  if (x > 0)\n    y = x * 2;\n  else\n    y = x + 1;\n",
         HasSubstr("  const float yIfTrue = x * 2;\n  const float yIfFalse = x + 1;\n"
                   "  y = x > 0 ? yIfTrue : yIfFalse;\n"));
}

TEST_F(Branchless, OneSideAloneKeepsTheOldValue) {
  chosen("  if (x > y)\n    y = x;\n", HasSubstr("  y = x > y ? x : y;\n"));
  chosen("  if (z > 0)\n    ++k;\n", HasSubstr("  k = z > 0 ? k + 1 : k;\n"));
}

TEST_F(Branchless, DoneTwiceThereIsNothingLeft) {
  EXPECT_THAT(optimized(loopKernel(kernel("  if (x > y)\n    y = x;\n")), "branchless; branchless"),
              HasSubstr("no branch that it could mean"));
}

TEST_F(Branchless, ValuesOfOneTypeAreNotConvertedToTheOthers) {
  chosen("  unsigned u = z;\n  if (x > 0)\n    y = k;\n  else\n    y = u;\n",
         HasSubstr("  const float yIfTrue = k;\n  const float yIfFalse = u;\n"));
}

TEST_F(Branchless, AStoreThatBothSidesDoStays) {
  chosen("  if (x > 0)\n    b[i] = x;\n  else\n    b[i] = 2 * x;\n",
         HasSubstr("  const float bIfFalse = 2 * x;\n  b[i] = x > 0 ? x : bIfFalse;\n"));
}

TEST_F(Branchless, AStoreOfOneSideIsRefused) {
  chosen("  if (x > 0)\n    b[i] = x;\n", HasSubstr("refused: branchless: only one side stores to 'b[i]'"));
  chosen("  if (x > 0)\n    b[i] = x;\n  else\n    b[k + 1] = x;\n", HasSubstr("only one side stores"));
}

TEST_F(Branchless, ALoadIsDoneOnlyWhereItIsThereAnyway) {
  const char *reason = "may not be there where this side is not taken";
  chosen("  if (i < n)\n    y = b[i];\n", HasSubstr(reason));
  chosen("  if (i < n && b[i] > 0)\n    y = b[i];\n", HasSubstr(reason)); // only where i < n
  chosen("  if (b[i] > 0)\n    y = b[i];\n", Not(HasSubstr("refused")));
  chosen("  if (i < n)\n    y = b[i];\n  else\n    y = -b[i];\n", Not(HasSubstr("refused")));
  chosen("  if (i < n)\n    y = c[i] * 2;\n", Not(HasSubstr("refused"))); // loaded before
  chosen("  __shared__ float s[4];\n  if (i < n)\n    y = s[3];\n", Not(HasSubstr("refused")));
  chosen("  __shared__ float s[4];\n  if (i < n)\n    y = s[i];\n", HasSubstr(reason));
}

TEST_F(Branchless, DivisionThatMayTrapIsRefused) {
  chosen("  if (z)\n    k = i / z;\n", HasSubstr("the divisor may be zero"));
  chosen("  if (z)\n    k %= z;\n", HasSubstr("the divisor may be zero"));
  chosen("  if (z)\n    k = i / 3;\n", Not(HasSubstr("refused")));
  chosen("  if (z)\n    y = x / y;\n",
         Not(HasSubstr("refused"))); // floating point does not trap
}

TEST_F(Branchless, EffectsAreRefused) {
  auto side = [&](const std::string &statement, const std::string &reason) {
    expect("  int i = threadIdx.x, k = 0;\n  float y = 0;\n  if (i < n)\n    " + statement +
               "\n  a[i] = y + k;\n",
           HasSubstr(reason));
  };
  side("y = k++;", "this changes something besides");
  side("y = counts(y);", "what this call does");
  side("k = atomicAdd(m, 1);", "refused");
  side("y = __shfl_xor_sync(~0u, y, 1);", "asks other threads");
  side("__syncwarp();", "there is no candidate");
  side("return;", "there is no candidate");
}

TEST_F(Branchless, LongSidesAreLeftToTheBranch) {
  chosen("  if (x > 0)\n    y = x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x*x;\n",
         HasSubstr("too long to be done by all"));
}

TEST_F(Branchless, ValuesAreThoseOfBeforeAllChoices) {
  chosen("  if (x > 0) {\n    x = y;\n    y = x + 1;\n  } else {\n    y = x;\n  }\n",
         AllOf(HasSubstr("  const float xIfTrue = y;\n"), HasSubstr("  const float yIfTrue = xIfTrue + 1;\n"),
               HasSubstr("  const float yIfFalse = x;\n"),
               HasSubstr("  const bool isTaken = x > 0;\n  x = isTaken ? xIfTrue : x;\n"
                         "  y = isTaken ? yIfTrue : yIfFalse;\n")));
}
