// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/work/SplitDeclarations.h"

#include "transform/Optimized.h"

using heddle::testing::optimized;
using ::testing::HasSubstr;

TEST(SplitDeclarations, VariablesOfOneDeclarationAreJudgedApart) {
  const std::string text = optimized("__global__ void k(int *a, int n) {\n"
                                     "  __shared__ int t[64];\n"
                                     "  int i = threadIdx.x, rounds = n / 2, *p = a + n;\n"
                                     "  for (int r = 0; r < rounds; ++r) {\n"
                                     "    t[i] = r;\n"
                                     "    __syncthreads();\n"
                                     "    p[i] += t[63 - i];\n"
                                     "    __syncthreads();\n"
                                     "  }\n"
                                     "}\n"
                                     "int main() { k<<<1, 64>>>(nullptr, 4); }\n",
                                     "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("int rounds = n / 2;"));
  EXPECT_THAT(text, HasSubstr("int *p = a + n;"));
  EXPECT_THAT(text, HasSubstr("for (int r = 0; r < rounds; ++r) {"));
}

TEST(SplitDeclarations, DeclarationsOfLikeVariablesStayTogether) {
  const std::string text = optimized("__global__ void k(int *a, int n) {\n"
                                     "  __shared__ int t[64];\n"
                                     "  int rounds = n / 2, last = n - 1;\n"
                                     "  for (int r = 0; r < rounds; ++r) {\n"
                                     "    t[threadIdx.x] = r + last;\n"
                                     "    __syncthreads();\n"
                                     "    a[threadIdx.x] += t[63 - threadIdx.x];\n"
                                     "    __syncthreads();\n"
                                     "  }\n"
                                     "}\n"
                                     "int main() { k<<<1, 64>>>(nullptr, 4); }\n",
                                     "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("  int rounds = n / 2, last = n - 1;\n"));
}
