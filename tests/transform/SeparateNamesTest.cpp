// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that hide others, in every transform that moves text across scopes.
#include "transform/SeparateNames.h"

#include "transform/Optimized.h"

using heddle::testing::optimized;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

std::string kernel(const std::string &body) {
  return "__device__ int limit;\n"
         "__global__ void k(float *__restrict__ a, const float *__restrict__ b, int n) {\n" +
         body + "}\nint main() { k<<<4, 64>>>(nullptr, nullptr, 0); }\n";
}

} // namespace

TEST(SeparateNames, AnOuterHeadThatMeansAnotherVariableKeepsItsMeaningWhenItMovesInside) {
  std::string text = optimized(kernel("  int j = 5;\n"
                                      "  for (int i = j; i < 20; ++i)\n"
                                      "    for (int j = 0; j < 8; ++j)\n"
                                      "      a[i * 8 + j] = b[j];\n"),
                               "interchange");
  EXPECT_THAT(text, HasSubstr("  for (int j2 = 0; j2 < 8; ++j2)\n"
                              "    for (int i = j; i < 20; ++i)\n"
                              "      a[i * 8 + j2] = b[j2];\n"));
}

TEST(SeparateNames, AnOuterHeadThatMeansAGlobalVariableKeepsItsMeaning) {
  std::string text = optimized(kernel("  for (int i = 0; i < limit; ++i)\n"
                                      "    for (int limit = 0; limit < 8; ++limit)\n"
                                      "      a[i * 8 + limit] = b[limit];\n"),
                               "interchange");
  EXPECT_THAT(text,
              HasSubstr("for (int limit2 = 0; limit2 < 8; ++limit2)\n    for (int i = 0; i < limit; ++i)"));
}

TEST(SeparateNames, NamesSideBySideStay) {
  std::string text = optimized(kernel("  for (int i = 0; i < 4; ++i) a[i] = b[i];\n"
                                      "  for (int j = 0; j < 4; ++j)\n"
                                      "    for (int i = 0; i < 8; ++i)\n"
                                      "      a[j * 8 + i] = b[i];\n"),
                               "interchange line=5");
  EXPECT_THAT(text, Not(HasSubstr("i2")));
}

TEST(SeparateNames, WhatARecomputedVariableIsMadeOfIsNotHidden) {
  std::string text = optimized("__global__ void k(float *a, const float *b, int n) {\n"
                               "  __shared__ float s[64];\n"
                               "  int m = n + 1;\n"
                               "  int at = threadIdx.x * m;\n"
                               "  s[threadIdx.x] = b[at];\n"
                               "  __syncthreads();\n"
                               "  {\n"
                               "    int m = 3;\n"
                               "    a[at] = s[63 - threadIdx.x] * m;\n"
                               "  }\n"
                               "}\n"
                               "int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }\n",
                               "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("* m2;"));
}

TEST(SeparateNames, ATemplatesLeftOutBranchIsRenamedToo) {
  std::string text = optimized("template <bool B> __global__ void k(float *a, int n) {\n"
                               "  __shared__ float s[64];\n"
                               "  s[threadIdx.x] = n;\n"
                               "  __syncthreads();\n"
                               "  for (int n = 0; n < 3; ++n)\n"
                               "    if constexpr (B)\n"
                               "      a[threadIdx.x] += s[n];\n"
                               "    else\n"
                               "      a[threadIdx.x] -= n;\n"
                               "}\n"
                               "int main() { k<true><<<4, 64>>>(nullptr, 0); }\n",
                               "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("s[n2]"));
  EXPECT_THAT(text, HasSubstr("-= n2"));
}
