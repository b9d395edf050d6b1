// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work for each thread by itself in heads of loops and branches around barriers, and jumps that threads take
// one by one: what is written and what is refused. That the results compute the same is the business of
// tests/coarsen/heads.cu and jumps.cu.
#include "transform/work/HeadWork.h"

#include "transform/Optimized.h"

using heddle::testing::optimized;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// A kernel of 64 threads with a shared array, coarsened by two.
std::string coarsened(const std::string &body, const std::string &directive = "coarsen x=2") {
  return optimized("__device__ int next(int *p) { return *p += 1; }\n"
                   "__global__ void k(float *a, const float *b, int *c, int n) {\n"
                   "  __shared__ float s[64];\n"
                   "  int t = threadIdx.x;\n" +
                       body + "}\nint main() { k<<<4, 64>>>(nullptr, nullptr, nullptr, 0); }\n",
                   directive);
}

constexpr const char *exchange = "    s[t] = b[j];\n"
                                 "    __syncthreads();\n"
                                 "    a[t] += s[63 - t] * j;\n"
                                 "    __syncthreads();\n";

} // namespace

TEST(HeadWork, AThreadsOwnVariableOfALoopsHeadIsDeclaredBeforeTheLoopAndGoesOnAtItsEnd) {
  std::string text =
      coarsened(std::string("  for (int i = 0, j = t; i < n; ++i, j += 7) {\n") + exchange + "  }\n");
  EXPECT_THAT(text, HasSubstr("  int j[2];\n"));
  EXPECT_THAT(text, HasSubstr("    j[kx] = t;\n  }\n  for (int i = 0; i < n; ++i) {\n"));
  EXPECT_THAT(text, HasSubstr("      j[kx] += 7;\n"));
}

TEST(HeadWork, AForcedConsolidationDoesTheSame) {
  std::string text =
      coarsened(std::string("  for (int i = 0, j = t; i < n; ++i, j += 7) {\n") + exchange + "  }\n",
                "consolidate remap=off delegate=off");
  EXPECT_THAT(text, HasSubstr("  for (int i = 0; i < n; ++i) {\n"));
  EXPECT_THAT(text, HasSubstr("j[kx] += 7;\n"));
}

TEST(HeadWork, WhatComesAfterAnIterationIsDoneBeforeAContinueToo) {
  std::string text = coarsened(std::string("  for (int i = 0, j = t; i < n; j += 7, ++i) {\n") + exchange +
                               "    if (n == 3)\n"
                               "      continue;\n"
                               "    a[t] += 1;\n"
                               "  }\n");
  EXPECT_THAT(text, HasSubstr("i < n; ++i)"));
  size_t first = text.find("j[kx] += 7;");
  ASSERT_NE(first, std::string::npos) << text;
  EXPECT_LT(first, text.find("continue;")) << text;
  EXPECT_NE(text.find("j[kx] += 7;", first + 1), std::string::npos) << text;
}

TEST(HeadWork, IncrementsThatReadAnEarlierOneFollowIt) {
  std::string text =
      coarsened(std::string("  for (int i = 0, j = t; i < n; ++i, j += i) {\n") + exchange + "  }\n");
  EXPECT_THAT(text, HasSubstr("for (int i = 0; i < n; ) {"));
  EXPECT_LT(text.find("++i;"), text.find("j[kx] += i;")) << text;
}

TEST(HeadWork, FirstValuesThatReadAnEarlierOneFollowIt) {
  std::string text =
      coarsened(std::string("  for (int i = 1, j = t + i; i < n; ++i) {\n") + exchange + "  }\n");
  EXPECT_THAT(text, HasSubstr("for (; i < n; ++i)"));
  EXPECT_THAT(text, HasSubstr("int i = 1;"));
}

TEST(HeadWork, APragmaStaysWithItsLoop) {
  std::string text = coarsened(std::string("#pragma unroll 1\n"
                                           "  for (int i = 0, j = t; i < n; ++i) {\n") +
                               exchange + "  }\n");
  EXPECT_THAT(text, HasSubstr("#pragma unroll 1\n  for (int i = 0; i < n; ++i) {"));
}

TEST(HeadWork, BranchesAndSwitchesKeepTheirConditionsOnly) {
  EXPECT_THAT(coarsened(std::string("  if (int j = 63 - t; n > 3) {\n") + exchange + "  }\n"),
              HasSubstr("if ( n > 3) {"));
  EXPECT_THAT(
      coarsened(std::string("  switch (int j = 63 - t; n) {\n  case 1:\n") + exchange + "    break;\n  }\n"),
      HasSubstr("switch ( n) {"));
}

TEST(HeadWork, EffectsOnMemoryInAHeadAreEachThreadsOwn) {
  std::string text = coarsened("  for (int i = 0; i < n; ++i, c[t] = i) {\n"
                               "    s[t] = b[t];\n"
                               "    __syncthreads();\n"
                               "    a[t] += s[63 - t];\n"
                               "    __syncthreads();\n"
                               "  }\n");
  EXPECT_THAT(text, HasSubstr("for (int i = 0; i < n; ) {"));
  EXPECT_THAT(text, HasSubstr("++i;"));
  EXPECT_THAT(text, Not(HasSubstr("c[t[0]]")));
}

TEST(HeadWork, AConditionWithAnEffectIsRefused) {
  EXPECT_THAT(coarsened("  while (next(c) < n) {\n"
                        "    s[t] = b[t];\n"
                        "    __syncthreads();\n"
                        "  }\n"),
              HasSubstr("refused"));
}

TEST(HeadWork, ARangeBasedLoopOverAnArrayCounts) {
  std::string text = coarsened("  float parts[3] = {1, 2, 3};\n"
                               "  for (float part : parts) {\n"
                               "    s[t] = part;\n"
                               "    __syncthreads();\n"
                               "    a[t] += s[63 - t];\n"
                               "    __syncthreads();\n"
                               "  }\n");
  EXPECT_THAT(text, HasSubstr("for (unsigned at = 0; at < 3; ++at)"));
}

TEST(HeadWork, ThreadsThatLeaveAnIterationOneByOneSkipTheRestOfIt) {
  std::string text = coarsened("  for (int i = 0; i < n; ++i) {\n"
                               "    s[t] = b[t];\n"
                               "    __syncthreads();\n"
                               "    a[t] += s[63 - t];\n"
                               "    __syncthreads();\n"
                               "    if (n > 3) {\n"
                               "      if (t < 10) continue;\n"
                               "      a[t] += 1;\n"
                               "    }\n"
                               "    a[t] += 100;\n"
                               "  }\n");
  // One work loop for both: `continue` in it leaves out the last statement too.
  EXPECT_THAT(text, HasSubstr("      if (n > 3) {\n"));
  EXPECT_THAT(text, HasSubstr("      }\n      a[t] += 100;\n"));
}

TEST(HeadWork, ThreadsThatLeaveASwitchOneByOneGoOnWithTheNextItem) {
  std::string text = coarsened("  switch (n) {\n"
                               "  case 1:\n"
                               "    s[t] = b[t];\n"
                               "    __syncthreads();\n"
                               "    if (t < 10) break;\n"
                               "    a[t] += s[63 - t];\n"
                               "    break;\n"
                               "  default: break;\n"
                               "  }\n");
  EXPECT_THAT(text, HasSubstr("if (t < 10) continue;"));
}

TEST(HeadWork, ThreadsThatWouldFallThroughOneByOneAreRefused) {
  EXPECT_THAT(coarsened("  switch (n) {\n"
                        "  case 1:\n"
                        "    s[t] = b[t];\n"
                        "    __syncthreads();\n"
                        "    if (t < 10) break;\n"
                        "    a[t] += s[63 - t];\n"
                        "  default: a[t] += 1;\n"
                        "  }\n"),
              HasSubstr("threads leave one by one here"));
}

TEST(HeadWork, AnObjectWithADestructorThatLivesAcrossABarrierIsRefused) {
  EXPECT_THAT(
      optimized(
          "struct Guard { int *p; __device__ Guard(int *p) : p(p) {} __device__ ~Guard() { *p = 1; } };\n"
          "__global__ void k(float *a, int *c) {\n"
          "  __shared__ float s[64];\n"
          "  Guard guard(c + threadIdx.x);\n"
          "  s[threadIdx.x] = 1;\n"
          "  __syncthreads();\n"
          "  a[threadIdx.x] = s[63 - threadIdx.x] + *guard.p;\n"
          "}\n"
          "int main() { k<<<4, 64>>>(nullptr, nullptr); }\n",
          "coarsen x=2"),
      HasSubstr("'guard' lives across a barrier and has a destructor"));
}

TEST(HeadWork, AnObjectWithAConstructorIsMadeInItsPlace) {
  std::string text = optimized("struct Made { int v; __device__ Made(int *p) : v(atomicAdd(p, 1)) {} };\n"
                               "__global__ void k(float *a, int *c) {\n"
                               "  __shared__ float s[64];\n"
                               "  Made made(c + threadIdx.x);\n"
                               "  s[threadIdx.x] = 1;\n"
                               "  __syncthreads();\n"
                               "  a[threadIdx.x] = s[63 - threadIdx.x] + made.v;\n"
                               "}\n"
                               "int main() { k<<<4, 64>>>(nullptr, nullptr); }\n",
                               "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("union madeSlot { __device__ madeSlot() {} Made value; } made[2];"));
  EXPECT_THAT(text, HasSubstr("new ((void *)&made[kx].value) Made(c + threadX);"));
  EXPECT_THAT(text, HasSubstr("made[kx].value.v"));
}
