// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/loops/UnrollJam.h"

#include "transform/LoopDirectives.h"

using namespace heddle;
using heddle::testing::loopKernel;
using heddle::testing::optimized;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class UnrollJam : public heddle::testing::LoopCases {
protected:
  UnrollJam() : LoopCases("unroll-jam factor=2", transform::unrollAndJam, transform::loopsToUnroll) {}
};

const std::string rows = "  for (int i = 0; i < n; ++i) {\n"
                         "    float s = 0;\n"
                         "    for (int j = 0; j < w; ++j)\n"
                         "      s += c[i * w + j];\n"
                         "    a[i] = s;\n"
                         "  }\n";

} // namespace

TEST_F(UnrollJam, CopiesGetNamesOfTheirOwnAndShareTheInnerLoop) {
  expect(rows, HasSubstr("  int i = 0;\n"
                         "  for (; i + 1LL < n; i += 2) {\n"
                         "    float s0 = 0;\n"
                         "    float s1 = 0;\n"
                         "    for (int j = 0; j < w; ++j) {\n"
                         "      s0 += c[i * w + j];\n"
                         "      s1 += c[(i + 1) * w + j];\n"
                         "    }\n"
                         "    a[i] = s0;\n"
                         "    a[i + 1] = s1;\n"
                         "  }\n"
                         "  for (; i < n; ++i) {\n"
                         "    float s = 0;\n"));
  // A count that divides leaves no remainder.
  expect("  for (int i = 0; i < 8; ++i)\n    for (int j = 0; j < n; ++j)\n      a[i] += c[j];\n",
         HasSubstr("  for (int i = 0; i < 8; i += 2) {\n    for (int j = 0; j < n; ++j) {\n"
                   "      a[i] += c[j];\n      a[i + 1] += c[j];\n    }\n  }\n}"));
  // Another variable of that name is kept apart by a name, or by a block where neither hides the other.
  expect("  int i = 7;\n" + rows + "  b[i] = 0;\n",
         AllOf(HasSubstr("  int i2 = 0;\n  for (; i2 + 1LL < n; i2 += 2) {\n    float s0 = 0;\n"),
               HasSubstr("    a[i2] = s;\n  }\n  b[i] = 0;\n")));
  expect(rows + "  int i = 7;\n  b[i] = 0;\n",
         AllOf(HasSubstr("  {\n    int i = 0;\n    for (; i + 1LL < n; i += 2) {\n      float s0 = 0;\n"),
               HasSubstr("      a[i] = s;\n    }\n  }\n  int i = 7;\n  b[i] = 0;\n")));
  expect("  if (n > 3)\n    for (int i = 0; i < n; ++i)\n      for (int j = 0; j < w; ++j)\n"
         "        a[i] += c[j];\n",
         AllOf(HasSubstr("  if (n > 3) {\n    int i = 0;\n    for (; i + 1LL < n; i += 2) {\n"),
               HasSubstr("        a[i] += c[j];\n  }\n}")));
}

TEST_F(UnrollJam, DependencesDecideAndBothPlacesAreShown) {
  expect("  for (int i = 1; i < n; ++i)\n    for (int j = 0; j < 15; ++j)\n"
         "      a[i * 16 + j] =\n          a[i * 16 + j - 15];\n", // of (i - 1, j + 1)
         AllOf(HasSubstr("an earlier iteration of 'i' and a later one of 'j', which would then come first"),
               HasSubstr(" |       a[i * 16 + j] ="), HasSubstr(" |           a[i * 16 + j - 15];")));
  std::string far = "  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < 8; ++j)\n"
                    "      a[i * 8 + j] = a[(i - 3) * 8 + j + 1];\n";
  expect(far, Not(HasSubstr("refused")), "unroll-jam factor=3");
  expect(far, HasSubstr("refused"), "unroll-jam factor=4");
  expect("  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < n; ++j)\n      p[i] += q[j];\n",
         AllOf(HasSubstr("may overlap)"), HasSubstr("__restrict__ on both pointers")));
  expect("  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < n; ++j)\n      a[i] += counts(c[j]);\n",
         HasSubstr("'counted'"));
}

TEST_F(UnrollJam, WhatGoesFromIterationToIterationKeepsItsOrder) {
  expect("  float s = 0;\n  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < n; ++j)\n"
         "      s += c[i * n + j];\n  a[0] = s;\n",
         HasSubstr("refused: unroll-jam factor=2: 's' goes from one iteration of 'i' to the next"));
  // In one straight stretch the copies follow each other as the iterations did.
  expect("  int at = 0;\n  for (int i = 0; i < n; ++i) {\n    float s = 0;\n    for (int j = 0; j < n; ++j)\n"
         "      s += c[i * n + j];\n    if (s > 0)\n      a[at++] = s;\n  }\n",
         HasSubstr("    if (s0 > 0)\n      a[at++] = s0;\n    if (s1 > 0)\n      a[at++] = s1;\n"));
}

TEST_F(UnrollJam, InnerLoopsThatDifferByIterationAreRefused) {
  expect("  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < i; ++j)\n      a[i] += c[j];\n",
         HasSubstr("the loop over 'j' does not always run over the same values: its head depends on 'i'"));
  expect("  for (int i = 0; i < n; ++i)\n    for (int j = 0; j < m[0]; ++j)\n      m[i] += j;\n",
         HasSubstr("so the loop over 'j' may not always run over the same values"));
}

TEST_F(UnrollJam, WhatMustNotChangeItsPlaceIsNamed) {
  auto inside = [&](const std::string &statement, const ::testing::Matcher<std::string> &matcher) {
    expect("  for (int i = 0; i < n; ++i) {\n    for (int j = 0; j < n; ++j)\n      a[i] += c[j];\n    " +
               statement + "\n  }\n",
           matcher);
  };
  inside("__syncthreads();",
         AllOf(HasSubstr("'__syncthreads' stands inside"), HasSubstr(" |     __syncthreads();")));
  inside("b[i] = __shfl_down_sync(~0u, b[i], 1);", HasSubstr("'__shfl_down_sync' asks other threads"));
  inside("m[i] = atomicAdd(m, 1);", HasSubstr("the order of 'atomicAdd' shows"));
  inside("atomicAdd(b, 1.0f);", HasSubstr("the order of 'atomicAdd' shows"));
  inside("asm(\"\");", HasSubstr("inline assembly"));
  inside("*(volatile float *)b = 1;", HasSubstr("volatile"));
  inside("if (a[i] > 3) break;", HasSubstr("'break' leaves the loop early"));
  inside("if (a[i] > 3) return;", HasSubstr("'return' leaves the loop early"));
  inside("if (a[i] > 3) continue;", HasSubstr("'continue' ends an iteration early"));
  inside("__threadfence();", HasSubstr("what '__threadfence' does is not known"));
  inside("__shared__ float s;", HasSubstr("a copy of this declaration"));
  inside("b[i] = twice(c[i]); atomicAdd(m, 1);", Not(HasSubstr("refused")));
  inside("\n#if 0\n    b[i] = 1;\n#endif\n", HasSubstr("there is an #if"));
}

TEST_F(UnrollJam, LoopsThatDoNotCountAreRefused) {
  auto over = [&](const std::string &head, const std::string &reason) {
    expect("  int i0 = 0;\n  for (" + head + ") {\n    for (int j = 0; j < n; ++j)\n      a[j] += i0;\n  }\n",
           HasSubstr(reason));
  };
  over("i0 = 0; i0 < n; ++i0", "does not declare the variable");
  over("int i = 1; i < n; i *= 2", "does not add the same to 'i'");
  over("int i = 0; i < n; i += w", "not certain that 'i' is counted towards its bound");
  over("short i = 0; i < n; ++i", "not a whole number of at least 32 bits");
  over("int i = 0; i < n && c[i] > 0; ++i", "does not compare 'i' with a bound");
  over("unsigned i = 3; i != w; ++i", "with '!='");
  over("int i = n; i < blockDim.x; ++i", "compared with an unsigned bound");
  over("int i = 0; i < 1; ++i", "runs 1 times only");
  expect("#define LOOP for (int i = 0; i < n; ++i)\n  LOOP\n    for (int j = 0; j < n; ++j)\n      a[i] += "
         "c[j];\n",
         HasSubstr("the loop comes out of a macro"));
}

TEST(LoopSubject, WithoutALineThereMustBeOneLoopItCouldMean) {
  std::string two = loopKernel(rows + rows);
  EXPECT_THAT(optimized(two, "unroll-jam factor=2"), HasSubstr("several loops that it could mean"));
  EXPECT_THAT(optimized(two, "unroll-jam factor=2 line=9"), HasSubstr("a[i] = s;\n  }\n  int i = 0;"));
  EXPECT_THAT(optimized(two, "unroll-jam factor=2 line=10"), HasSubstr("no 'for' loop begins on line 10"));
  EXPECT_THAT(optimized(two, "unroll-jam factor=2 line=1300"), HasSubstr("line 1300 is in no kernel"));
  EXPECT_THAT(optimized(loopKernel(""), "unroll-jam factor=2"),
              HasSubstr("there is no loop that it could mean"));
}

TEST(LoopSubject, APragmaSpeaksOfTheLoopBehindIt) {
  std::string pragma = "#pragma heddle unroll-jam factor=2\n";
  EXPECT_THAT(optimized(loopKernel(rows + pragma + "  // the second\n" + rows), ""),
              HasSubstr("  // the second\n  int i = 0;\n"));
  EXPECT_THAT(optimized(loopKernel(pragma + "  a[0] = 1;\n" + rows), ""),
              HasSubstr("what follows is no 'for' loop"));
  EXPECT_THAT(optimized(pragma + loopKernel(rows), ""), HasSubstr("error: 'unroll-jam' stands in no kernel"));
}
