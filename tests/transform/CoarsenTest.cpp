// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What coarsen writes and what it refuses. That the results compute the same is the business of
// tests/coarsen.
#include "transform/coarsen/Coarsen.h"

#include "transform/Optimized.h"
#include "transform/coarsen/CoarsenCheck.h"

using namespace heddle;
using namespace heddle::transform;
using heddle::testing::messagesOf;
using heddle::testing::optimized;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

/// A kernel with this body and these parameters, and a launch of it.
std::string kernel(const std::string &body, const std::string &parameters = "float *a, const float *b, int n",
                   const std::string &launch = "k<<<4, 64>>>(nullptr, nullptr, 0);") {
  return "__global__ void k(" + parameters + ") {\n" + body + "}\nint main() { " + launch + " }\n";
}

std::string refusalOf(const std::string &body, const std::string &directive = "coarsen x=2") {
  return optimized(kernel(body), directive);
}

} // namespace

TEST(Coarsen, TheWholeBodyOfAKernelWithoutBarrierIsOneWorkLoop) {
  EXPECT_EQ(optimized("__global__ void k(float *a, int n) {\n"
                      "  // which element\n"
                      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "  if (i >= n)\n"
                      "    return; // none\n"
                      "  a[i] *= 2.0f;\n"
                      "}\n"
                      "void f(float *a) { k<<<8, 256>>>(a, 9); }\n",
                      "coarsen x=4"),
            "__global__ void k(float *a, int n) {\n"
            "  #pragma unroll\n"
            "  for (unsigned kx = 0; kx < 4; ++kx) {\n"
            "    const unsigned threadX = threadIdx.x + kx * blockDim.x;\n"
            "    // which element\n"
            "    int i = blockIdx.x * (blockDim.x * 4) + threadX;\n"
            "    if (i >= n)\n"
            "      continue; // none\n"
            "    a[i] *= 2.0f;\n"
            "  }\n"
            "}\n"
            "void f(float *a) { k<<<8, 256 / 4>>>(a, 9); }\n");
}

TEST(Coarsen, ALambdaThatHoldsNothingIsAFunction) {
  const std::string body = "  auto limit = [=](float v, float most) { return v > most ? most : v; };\n"
                           "  a[threadIdx.x] = limit(a[threadIdx.x], 10.0f);\n";
  EXPECT_THAT(refusalOf(body), HasSubstr("a[threadX] = limit(a[threadX], 10.0f);"));
  EXPECT_THAT(refusalOf("  int i = threadIdx.x;\n  auto mine = [=] { return i; };\n  a[i] = mine();\n"),
              HasSubstr("refused: coarsen x=2: what a lambda captures cannot be told apart by work item"));
  // It has no type that an array of it could be declared with.
  EXPECT_THAT(refusalOf("  auto limit = [](float v) { return v > 1 ? 1 : v; };\n"
                        "  a[threadIdx.x] = 2;\n  __syncthreads();\n"
                        "  a[63 - threadIdx.x] = limit(a[threadIdx.x]);\n"),
              HasSubstr("refused: "));
}

TEST(Coarsen, BlockedGivesNeighboursToOneThread) {
  EXPECT_THAT(refusalOf("  a[threadIdx.x] = 1.0f;\n", "coarsen x=4 map=blocked"),
              HasSubstr("const unsigned threadX = threadIdx.x * 4 + kx;"));
}

TEST(Coarsen, ABarrierCutsTheWorkLoopAndValuesThatCrossItBecomeArrays) {
  std::string text = refusalOf("  __shared__ float s[64];\n"
                               "  float mine = b[threadIdx.x];\n"
                               "  s[threadIdx.x] = mine;\n"
                               "  __syncthreads();\n"
                               "  a[threadIdx.x] = s[63 - threadIdx.x] + mine;\n");
  EXPECT_THAT(text, HasSubstr("  float mine[2];\n  #pragma unroll\n"));
  EXPECT_THAT(text, HasSubstr("    mine[kx] = b[threadX];\n"));
  EXPECT_THAT(text, HasSubstr("  }\n  __syncthreads();\n  #pragma unroll\n"));
  EXPECT_THAT(text, HasSubstr("    a[threadX] = s[63 - threadX] + mine[kx];\n"));
}

TEST(Coarsen, IndicesThatNeverChangeAreWorkedOutAgain) {
  std::string text = refusalOf("  __shared__ float s[64];\n"
                               "  int i = blockIdx.x * 64 + threadIdx.x;\n"
                               "  s[threadIdx.x] = b[i];\n"
                               "  __syncthreads();\n"
                               "  a[i] = s[63 - threadIdx.x];\n");
  EXPECT_THAT(text, Not(HasSubstr("i[2]")));
  size_t first = text.find("int i = blockIdx.x * 64 + threadX;");
  EXPECT_NE(text.find("int i = blockIdx.x * 64 + threadX;", first + 1), std::string::npos);
}

TEST(Coarsen, OneDeclarationMayHoldWhatIsUniformAndWhatIsNot) {
  std::string text = refusalOf("  __shared__ float s[64];\n"
                               "  int m, e;\n"
                               "  float t = b[threadIdx.x];\n"
                               "  s[threadIdx.x] = t;\n"
                               "  for (m = 0; m < n; m++) {\n"
                               "    __syncthreads();\n"
                               "    t = s[63 - threadIdx.x];\n"
                               "    for (e = 0; e < threadIdx.x; e++)\n"
                               "      t += s[e];\n"
                               "    a[threadIdx.x] = t;\n"
                               "  }\n");
  EXPECT_THAT(text, HasSubstr("  int m;\n"));
  EXPECT_THAT(text, HasSubstr("      int e;\n"));
}

TEST(Coarsen, UniformWorkIsDoneOnce) {
  std::string text = refusalOf("  a[threadIdx.x] = 1.0f;\n"
                               "  int half = n / 2;\n"
                               "  a[threadIdx.x] += half;\n");
  EXPECT_THAT(text, HasSubstr("{\n  int half = n / 2;\n  #pragma unroll\n"));
  text = refusalOf("  __shared__ float s[64];\n"
                   "  s[threadIdx.x] = b[threadIdx.x];\n"
                   "  __syncthreads();\n"
                   "  float sum = 0.0f;\n"
                   "  for (int j = 0; j < 64; ++j)\n"
                   "    sum += s[j];\n"
                   "  a[threadIdx.x] = sum;\n");
  EXPECT_THAT(text, HasSubstr("  for (int j = 0; j < 64; ++j)\n    sum += s[j];\n  #pragma unroll\n"));
}

TEST(Coarsen, LoopsAndUniformBranchesAroundBarriersStay) {
  std::string text = refusalOf("  __shared__ float s[64];\n"
                               "  s[threadIdx.x] = 0.0f;\n"
                               "  for (int i = 0; i < n; ++i) {\n"
                               "    if (i & 1) {\n"
                               "      s[threadIdx.x] += 1.0f;\n"
                               "      __syncthreads();\n"
                               "    }\n"
                               "  }\n"
                               "  a[threadIdx.x] = s[threadIdx.x];\n");
  EXPECT_THAT(text, HasSubstr("  for (int i = 0; i < n; ++i) {\n    if (i & 1) {\n      #pragma unroll\n"));
}

TEST(Coarsen, ALoopWhoseThreadsReadTheSameElementsTakesTheWorkLoopInside) {
  std::string text = refusalOf("  __shared__ float s[64];\n"
                               "  s[threadIdx.x] = b[threadIdx.x];\n"
                               "  __syncthreads();\n"
                               "  float sum = 0.0f;\n"
                               "  for (int j = 0; j < 64; ++j)\n"
                               "    sum += s[j] * b[threadIdx.x];\n"
                               "  a[threadIdx.x] = sum;\n");
  EXPECT_THAT(text, HasSubstr("  for (int j = 0; j < 64; ++j) {\n    #pragma unroll\n"));
  EXPECT_THAT(text, HasSubstr("sum[kx] += s[j] * b[threadX];"));
}

TEST(Coarsen, AReturnBeforeABarrierPutsItsItemToSleep) {
  std::string text = refusalOf("  __shared__ float s[64];\n"
                               "  if (b[threadIdx.x] < 0.0f)\n"
                               "    return;\n"
                               "  s[threadIdx.x] = 1.0f;\n"
                               "  __syncthreads();\n"
                               "  a[threadIdx.x] = s[threadIdx.x];\n");
  EXPECT_THAT(text, HasSubstr("bool active[2] = {true, true};"));
  EXPECT_THAT(text, HasSubstr("{ active[kx] = false; --itemsLeft; continue; }"));
  EXPECT_THAT(text, HasSubstr("  if (itemsLeft == 0)\n    return;\n  __syncthreads();\n"));
  EXPECT_THAT(text, HasSubstr("    if (!active[kx])\n      continue;\n"));
}

TEST(Coarsen, AReturnOutOfAnInnerLoopJumpsToTheNextItem) {
  EXPECT_THAT(refusalOf("  for (int i = threadIdx.x; i < n; ++i)\n    if (b[i] > 0.0f) return;\n  "
                        "a[threadIdx.x] = 1.0f;\n"),
              AllOf(HasSubstr("goto nextItem;"), HasSubstr("nextItem:;")));
}

TEST(Coarsen, NamesThatAreTakenAreLeftAlone) {
  EXPECT_THAT(refusalOf("  int threadX = threadIdx.x, kx = 1;\n  a[threadX] = kx;\n"),
              HasSubstr("const unsigned threadX2 = threadIdx.x + kx2 * blockDim.x;"));
}

TEST(Coarsen, AParameterThatItemsChangeIsCopiedForEach) {
  EXPECT_THAT(
      refusalOf("  a += threadIdx.x;\n  *a = 1.0f;\n"),
      AllOf(HasSubstr("float *aItem = a;"), HasSubstr("aItem += threadX;"), HasSubstr("*aItem = 1.0f;")));
}

TEST(Coarsen, LaunchBoundsAreDivided) {
  EXPECT_THAT(optimized("__global__ void __launch_bounds__(256, 2) k(int *p) { p[threadIdx.x] = 1; }\n",
                        "coarsen x=2"),
              HasSubstr("__launch_bounds__(256 / 2, 2)"));
}

TEST(Coarsen, TwoAxesNestAndArraysHaveBothSubscripts) {
  std::string text =
      optimized(kernel("  __shared__ float s[8][8];\n"
                       "  float mine = b[threadIdx.y * 8 + threadIdx.x];\n"
                       "  s[threadIdx.y][threadIdx.x] = mine;\n"
                       "  __syncthreads();\n"
                       "  a[threadIdx.y * 8 + threadIdx.x] = s[threadIdx.x][threadIdx.y] - mine;\n",
                       "float *a, const float *b", "k<<<1, dim3(8, 8)>>>(nullptr, nullptr);"),
                "coarsen x=2 y=4");
  EXPECT_THAT(text, HasSubstr("float mine[4][2];"));
  EXPECT_THAT(text, HasSubstr("mine[ky][kx] = b[threadY * 8 + threadX];"));
  EXPECT_THAT(text, HasSubstr("k<<<1, dim3(8 / 2, 8 / 4)>>>"));
}

TEST(Coarsen, BlocksAreMergedWithTheirIndices) {
  std::string text = refusalOf(
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) a[i] = gridDim.x;\n", "coarsen grid=2");
  EXPECT_THAT(text, HasSubstr("const unsigned blockX = blockIdx.x + kb * gridDim.x;"));
  EXPECT_THAT(text, HasSubstr("a[i] = (gridDim.x * 2);"));
  EXPECT_THAT(text, HasSubstr("k<<<4 / 2, 64>>>"));
}

TEST(Coarsen, TwoByTwoIsFour) {
  std::string text = refusalOf("  a[threadIdx.x] = b[threadIdx.x];\n", "coarsen x=2; coarsen x=2");
  EXPECT_THAT(text, HasSubstr("for (unsigned kx2 = 0; kx2 < 2; ++kx2)"));
  EXPECT_THAT(text, HasSubstr("for (unsigned kx = 0; kx < 2; ++kx)"));
  EXPECT_THAT(text, HasSubstr("k<<<4, (64 / 2) / 2>>>"));
}

TEST(Coarsen, FactorsOfOneChangeNothing) {
  std::string text = kernel("  a[threadIdx.x] = b[threadIdx.x];\n");
  EXPECT_EQ(optimized(text, "coarsen x=1"), text);
}

// Device functions

TEST(Coarsen, AFunctionOfThisKernelOnlyGetsTheIndexAsAParameter) {
  std::string text = optimized("static __device__ float at(const float *p) { return p[threadIdx.x]; }\n"
                               "__global__ void k(float *a, const float *b) { a[threadIdx.x] = at(b); }\n",
                               "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("float at(const unsigned threadX, const float *p) { return p[threadX]; }"));
  EXPECT_THAT(text, HasSubstr("a[threadX] = at(threadX, b);"));
}

TEST(Coarsen, AFunctionThatOthersCallIsCopied) {
  Options options;
  options.kernel = "k";
  std::string text = optimized("__device__ int me() { return threadIdx.x; }\n"
                               "__global__ void other(int *a) { a[me()] = 1; }\n"
                               "__global__ void k(int *a) { a[me()] = 2; }\n",
                               "coarsen x=2", options);
  EXPECT_THAT(text, HasSubstr("__device__ int me() { return threadIdx.x; }"));
  EXPECT_THAT(text, HasSubstr("__device__ int meFork(const unsigned threadX) { return threadX; }"));
  EXPECT_THAT(text, HasSubstr("a[me()] = 1;"));
  EXPECT_THAT(text, HasSubstr("a[meFork(threadX)] = 2;"));
}

TEST(Coarsen, AMemberFunctionThatAsksForTheIndexIsRefused) {
  EXPECT_THAT(
      optimized("struct S { __device__ int me() const { return threadIdx.x; } };\n"
                "__global__ void k(int *a) { S s; a[s.me()] = 1; }\n",
                "coarsen x=2"),
      HasSubstr("the member function 'S::me' reads 'threadIdx.x' and cannot be given another parameter"));
}

// Launches

TEST(CoarsenLaunches, ADim3VariableIsDividedWhereItIsUsed) {
  std::string text =
      optimized(kernel("  a[threadIdx.y * 16 + threadIdx.x] = 1.0f;\n", "float *a",
                       "dim3 block(16, 4); k<<<1, block>>>(nullptr); k<<<2, block>>>(nullptr);"),
                "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("dim3 block(16, 4); k<<<1, dim3(block.x / 2, block.y)>>>(nullptr); "
                              "k<<<2, dim3(block.x / 2, block.y)>>>(nullptr);"));
}

TEST(CoarsenLaunches, AShapeKnownAtRunTimeIsDividedThere) {
  std::string text = optimized("#include <cstdio>\n"
                               "__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }\n"
                               "void f(int n) { k<<<1, n>>>(nullptr); }\n",
                               "coarsen x=2");
  EXPECT_THAT(text, StartsWith("#include <cstdio>\n#include <heddle/launch.cuh>\n"));
  EXPECT_THAT(text, HasSubstr("k<<<1, heddle::mergedBlock<2, 1, 1>(n, \"k\")>>>"));
}

TEST(CoarsenLaunches, AFactorThatDoesNotDivideIsRefusedAtTheLaunch) {
  Diagnostics messages =
      messagesOf(kernel("  a[threadIdx.x] = 1.0f;\n", "float *a", "k<<<1, 250>>>(nullptr);"), "coarsen x=4");
  ASSERT_EQ(messages.all().size(), 1u);
  EXPECT_EQ(messages.all()[0].text,
            "coarsen x=4: the block of this launch is 250 in x, which does not divide by 4");
  EXPECT_EQ(messages.all()[0].place.line, 4u);
}

TEST(CoarsenLaunches, AKernelWhoseAddressGoesElsewhereIsRefused) {
  EXPECT_THAT(optimized("__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }\n"
                        "void (*const table[])(float *) = {k};\n"
                        "void f(int i) { table[i]<<<1, 64>>>(nullptr); }\n",
                        "coarsen x=2"),
              HasSubstr("the kernel's address is taken here"));
}

// Preparations

TEST(Coarsen, ALoopAroundABarrierGetsACounterOfItsOwn) {
  std::string text = optimized(kernel("  int k;\n"
                                      "  k = threadIdx.x + 1;\n"
                                      "  a[k] = 1.0f;\n"
                                      "  for (k = 0; k < n; k++) {\n"
                                      "    a[threadIdx.x + 1] += b[k];\n"
                                      "    __syncthreads();\n"
                                      "  }\n"),
                               "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("for (int k2 = 0; k2 < n; k2++) {\n    #pragma unroll\n"));
  EXPECT_THAT(text, HasSubstr("    int k;\n    k = threadX + 1;\n"));
}

TEST(Coarsen, AVariableThatALoopsHeaderDeclaresAndItemsSetIsDeclaredBeforeIt) {
  std::string text = refusalOf("  n += threadIdx.x;\n"
                               "  for (int j = 0, u = n; ; ++j) {\n"
                               "    if (j == 5)\n"
                               "      break;\n"
                               "    u += threadIdx.x;\n"
                               "    a[threadIdx.x] = float(u);\n"
                               "    __syncthreads();\n"
                               "  }\n");
  EXPECT_THAT(text, HasSubstr("    u[kx] = nItem;\n  }\n  for (int j = 0; ; ++j) {\n"));
  EXPECT_THAT(text, HasSubstr("      u[kx] += threadX;\n"));
}

TEST(Coarsen, ACounterThatIsReadBehindItsLoopStaysOne) {
  std::string text = refusalOf("  int k = threadIdx.x;\n"
                               "  for (k = 0; k < n; k++) {\n"
                               "    a[threadIdx.x] += 1.0f;\n"
                               "    __syncthreads();\n"
                               "  }\n"
                               "  a[threadIdx.x] = float(k);\n");
  EXPECT_THAT(text, HasSubstr("  for (; k[0] < n; ) {\n"));
  EXPECT_THAT(text, HasSubstr("      k[kx]++;\n"));
  EXPECT_THAT(text, HasSubstr("    a[threadX] = float(k[kx]);\n"));
}

TEST(Coarsen, AVariableThatEachWorkLoopSetsForItselfIsDeclaredThere) {
  std::string text = refusalOf("  __shared__ float s[64];\n"
                               "  float u;\n"
                               "  s[threadIdx.x] = b[threadIdx.x];\n"
                               "  __syncthreads();\n"
                               "  if (n > 0) u = s[63 - threadIdx.x]; else u = 1.0f;\n"
                               "  a[threadIdx.x] = u;\n");
  EXPECT_THAT(text, HasSubstr("    float u;\n    if (n > 0) u = s[63 - threadX]; else u = 1.0f;\n"));
  EXPECT_THAT(text, Not(HasSubstr("u[2]")));
}

TEST(Coarsen, WhatIsNeededLaterOnlyIsNotDeclaredWhereItStood) {
  EXPECT_THAT(refusalOf("  const int t = threadIdx.x, i = blockIdx.x * 64 + t;\n"
                        "  // the element to the left\n"
                        "  const int left = i - 1;\n"
                        "\n"
                        "  for (int j = 0; j < n; ++j) {\n"
                        "    __syncthreads();\n"
                        "    a[left] = 1.0f;\n"
                        "  }\n"),
              HasSubstr("int n) {\n"
                        "\n"
                        "  for (int j = 0; j < n; ++j) {\n"
                        "    __syncthreads();\n"
                        "    #pragma unroll\n"
                        "    for (unsigned kx = 0; kx < 2; ++kx) {\n"
                        "      const unsigned threadX = threadIdx.x + kx * blockDim.x;\n"
                        "      const int t = threadX;\n"
                        "      const int i = blockIdx.x * 64 + t;\n"
                        "      const int left = i - 1;\n"
                        "      a[left] = 1.0f;\n"));
}

TEST(Coarsen, OfSeveralVariablesOnlyThoseThatAWorkLoopNeedsAreDeclaredInIt) {
  EXPECT_THAT(refusalOf("  const int t = threadIdx.x, i = blockIdx.x * 64 + t, left = i - 1;\n"
                        "  a[t] = 2.0f;\n"
                        "  __syncthreads();\n"
                        "  a[left] = 1.0f;\n"),
              HasSubstr("    const int t = threadX;\n"
                        "    a[t] = 2.0f;\n"
                        "  }\n"
                        "  __syncthreads();\n"));
}

TEST(Coarsen, AValueThatStaysNeedsWhatItIsMadeOfWhereItStood) {
  std::string text = refusalOf("  const int t = threadIdx.x;\n"
                               "  float u = b[t];\n"
                               "  __syncthreads();\n"
                               "  a[threadIdx.x] = u;\n");
  EXPECT_THAT(text, HasSubstr("    const int t = threadX;\n    u[kx] = b[t];\n  }\n"));
}

TEST(Coarsen, CommentsGoWithAnArrayThatIsDeclaredBeforeTheWorkLoop) {
  EXPECT_THAT(refusalOf("  // what was seen\n"
                        "  float u = 0.0f; // nothing yet\n"
                        "  for (int j = 0; j < n; ++j) {\n"
                        "    u += b[threadIdx.x];\n"
                        "    __syncthreads();\n"
                        "  }\n"
                        "  a[threadIdx.x] = u;\n"),
              HasSubstr("int n) {\n"
                        "  // what was seen\n"
                        "  float u[2] = {}; // nothing yet\n"
                        "  for (int j"));
}

TEST(Coarsen, AVariableThatKeepsAValueFromOneIterationToTheNextBecomesAnArray) {
  std::string text = refusalOf("  float u;\n"
                               "  for (int j = 0; j < n; ++j) {\n"
                               "    if (j == 0) u = b[threadIdx.x];\n"
                               "    a[threadIdx.x + j * 64] = u;\n"
                               "    __syncthreads();\n"
                               "  }\n");
  EXPECT_THAT(text, HasSubstr("float u[2];"));
}

// Refusals

TEST(Coarsen, RowsThatACallersSizeFillsAreTakenNotToOverlap) {
  std::string body = "  int i = blockIdx.x * 64 + threadIdx.x;\n"
                     "  if (i < n)\n"
                     "    for (int j = i + 1; j < n; ++j) {\n"
                     "      a[i * 512 + j] = 1.0f;\n"
                     "      a[j * 512 + i] = 2.0f;\n"
                     "    }\n";
  EXPECT_THAT(refusalOf(body), HasSubstr("a[i * 512 + j] = 1.0f;"));
  EXPECT_THAT(refusalOf("  if (n > 3) a[threadIdx.x / 2 * 8 + 1] = 1.0f;\n"),
              HasSubstr("two threads of a block touch the same element of 'a'"));
}

TEST(Coarsen, TheReportSaysWhichRacesAreTakenNotToBe) {
  Diagnostics messages =
      messagesOf(kernel("  a[int(b[threadIdx.x])] = 1.0f;\n  a[threadIdx.x] = 2.0f;\n"), "coarsen x=2");
  ASSERT_EQ(messages.all().size(), 1u);
  ASSERT_EQ(messages.all()[0].voice, Voice::Done);
  ASSERT_EQ(messages.all()[0].notes.size(), 1u); // once for the array
  EXPECT_EQ(messages.all()[0].notes[0].place.line, 2u);
  EXPECT_THAT(messages.all()[0].notes[0].text, HasSubstr("no two threads touch the same element of 'a'"));
  EXPECT_THAT(messages.all()[0].notes[0].text, HasSubstr("converted from floating point"));
  EXPECT_TRUE(messagesOf(kernel("  a[threadIdx.x] = b[0];\n"), "coarsen x=2").all().at(0).notes.empty());
}

TEST(Coarsen, VotesOfTheBlockAreJoinedAndCountsAreAdded) {
  std::string text = optimized("__global__ void k(float *a, const float *b) {\n"
                               "  int some = __syncthreads_count(b[threadIdx.x] > 0.0f);\n"
                               "  if (__syncthreads_or(b[threadIdx.x] > 9.0f))\n"
                               "    some = 0;\n"
                               "  int every = __syncthreads_and(b[threadIdx.x] > 1.0f);\n"
                               "  a[threadIdx.x] = some + every;\n"
                               "}\n"
                               "void f() { k<<<1, 64>>>(nullptr, nullptr); }\n",
                               "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("int some = __syncthreads_count(vote[0]) + __syncthreads_count(vote[1]);\n"));
  EXPECT_THAT(
      text,
      HasSubstr("const int votes = __syncthreads_or(vote2[0] | vote2[1]);\n  if (votes)\n    some = 0;"));
  EXPECT_THAT(text, HasSubstr("int every = __syncthreads_and(vote3[0] & vote3[1]);\n"));
}

TEST(CoarsenRefuses, ADivergentBarrier) {
  EXPECT_THAT(refusalOf("  if (threadIdx.x < 7) { a[threadIdx.x] = 1.0f; __syncthreads(); }\n"),
              HasSubstr("'__syncthreads' may not be reached by all threads of the block"));
}

TEST(CoarsenRefuses, ARaceWithBothPlaces) {
  Diagnostics messages = messagesOf(kernel("  __shared__ float s[65];\n"
                                           "  s[threadIdx.x] = b[threadIdx.x];\n"
                                           "  a[threadIdx.x] = s[threadIdx.x + 1];\n"),
                                    "coarsen x=2");
  ASSERT_EQ(messages.all().size(), 1u);
  EXPECT_THAT(messages.all()[0].text, HasSubstr("two threads of a block touch the same element of 's'"));
  EXPECT_EQ(messages.all()[0].place.line + messages.all()[0].notes.at(0).place.line, 3u + 4u);
}

TEST(CoarsenRefuses, AShuffleThatBlockedPutsIntoOneThread) {
  Diagnostics messages =
      messagesOf(kernel("  a[threadIdx.x] = __shfl_down_sync(0xffffffffu, b[threadIdx.x], 1);\n"),
                 "coarsen x=2 map=blocked");
  ASSERT_EQ(messages.all().size(), 1u);
  EXPECT_THAT(messages.all()[0].text, HasSubstr("puts both ends of '__shfl_down_sync' into one thread"));
  EXPECT_THAT(messages.all()[0].hint, HasSubstr("map=interleaved"));
}

TEST(CoarsenRefuses, AShuffleInWarpsThatWouldBeCut) {
  std::string body = "  a[threadIdx.x] = __shfl_down_sync(0xffffffffu, b[threadIdx.x], 1);\n";
  EXPECT_THAT(refusalOf(body, "coarsen x=2"), HasSubstr("const unsigned threadX"));
  EXPECT_THAT(refusalOf(body, "coarsen x=4"), HasSubstr("the warps would not stay whole"));
}

TEST(CoarsenRefuses, ABarrierThatCountsThreads) {
  EXPECT_THAT(refusalOf("  asm volatile(\"bar.sync 1, 64;\");\n  a[threadIdx.x] = 1.0f;\n"),
              HasSubstr("merged threads would be counted wrong"));
}

TEST(CoarsenRefuses, AVoteThatCannotBeTakenOutOfItsStatement) {
  EXPECT_THAT(refusalOf("  int m = 2 + __syncthreads_count(b[threadIdx.x] > 0.0f);\n  a[threadIdx.x] = m;\n"),
              HasSubstr("part of a larger statement"));
}

TEST(CoarsenRefuses, ABarrierInACalledFunctionThatCannotBeInlined) {
  EXPECT_THAT(optimized("__device__ int wait(int n) { if (n) return 1; __syncthreads(); return 2; }\n"
                        "__global__ void k(float *a, int n) { int w = wait(n); a[threadIdx.x] = w; }\n",
                        "coarsen x=2"),
              HasSubstr("it returns from its middle, in line 1"));
  EXPECT_THAT(optimized("__device__ float wait(float x) { __syncthreads(); return x; }\n"
                        "__global__ void k(float *a) { a[threadIdx.x] = 2.0f * wait(1.0f); }\n",
                        "coarsen x=2"),
              HasSubstr("the call is part of a larger statement"));
}

TEST(Coarsen, AFunctionWithABarrierTakesThePlaceOfItsCall) {
  std::string text = optimized("__device__ float last(float *s, float n) {\n"
                               "  s[threadIdx.x] = n; // mine\n"
                               "  __syncthreads();\n"
                               "  return s[63 - threadIdx.x];\n"
                               "}\n"
                               "__global__ void k(float *a, const float *b, int n) {\n"
                               "  __shared__ float s[64];\n"
                               "  float x = last(s, b[threadIdx.x]);\n"
                               "  a[threadIdx.x] = x + n;\n"
                               "}\n"
                               "void f() { k<<<4, 64>>>(nullptr, nullptr, 0); }\n",
                               "coarsen x=2");
  // The function's own names keep out of the way of the kernel's.
  EXPECT_THAT(text, HasSubstr("  { // last\n    float *s2 = s;\n"));
  EXPECT_THAT(text, HasSubstr("      float n2 = b[threadX];\n      s2[threadX] = n2; // mine\n"));
  EXPECT_THAT(text, HasSubstr("lastValue[kx] = s2[63 - threadX];"));
  EXPECT_THAT(text, HasSubstr("__device__ float last(float *s, float n) {\n  s[threadIdx.x] = n; // mine\n"));
}

TEST(CoarsenRefuses, MergingBlocksThatShareMemory) {
  EXPECT_THAT(
      refusalOf("  __shared__ float s[64];\n  s[threadIdx.x] = 1.0f;\n  a[threadIdx.x] = s[threadIdx.x];\n",
                "coarsen grid=2"),
      HasSubstr("each has a shared 's' of its own"));
}

TEST(CoarsenRefuses, AMacroDefinedInsideTheKernel) {
  EXPECT_THAT(refusalOf("#define TWO 2.0f\n  a[threadIdx.x] = TWO;\n"),
              HasSubstr("'#define TWO 2.0f' inside the kernel"));
}

TEST(Coarsen, WhatThePreprocessorLeavesOutIsLeftOut) {
  std::string body = "#ifdef NEVER\n"
                     "  a[0] = threadIdx.x;\n"
                     "#elif __CUDA_ARCH__ > 100\n"
                     "  // the usual way\n"
                     "#if 1\n"
                     "  a[threadIdx.x] = 1.0f;\n"
                     "#endif\n"
                     "#else\n"
                     "  a[1] = 2.0f;\n"
                     "#endif\n"
                     "  a[threadIdx.x] += 1.0f;\n";
  std::string text = refusalOf(body);
  EXPECT_THAT(text, HasSubstr("    // the usual way\n    a[threadX] = 1.0f;\n    a[threadX] += 1.0f;\n"));
  EXPECT_THAT(text, Not(HasSubstr("#if")));
  EXPECT_THAT(text, Not(HasSubstr("a[0]")));
  // Lines of messages are the user's.
  Diagnostics messages = messagesOf(kernel(body + "  a[0] = threadIdx.x;\n"), "coarsen x=2");
  EXPECT_EQ(messages.all().at(0).place.line, 13u);
}

TEST(Coarsen, AGroupsRankIsTheThreadsIndex) {
  std::string groups =
      "namespace cooperative_groups { struct thread_block { __device__ unsigned thread_rank() const; "
      "__device__ unsigned size() const; __device__ void sync() const; };\n"
      "__device__ thread_block this_thread_block(); }\n"
      "namespace cg = cooperative_groups;\n";
  std::string text =
      optimized(groups + kernel("  cg::thread_block cta = cg::this_thread_block();\n"
                                "  __shared__ float s[64];\n"
                                "  s[cta.thread_rank()] = b[cta.thread_rank()];\n"
                                "  cta.sync();\n"
                                "  a[cta.thread_rank()] = s[cta.size() - 1 - cta.thread_rank()];\n"),
                "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("s[threadX] = b[threadX];"));
  EXPECT_THAT(text, HasSubstr("a[threadX] = s[(blockDim.x * 2) - 1 - threadX];"));
}

// Warps

TEST(KeepsWarpsWhole, WhatTheMapDoesToLanes) {
  auto whole = [](std::array<int64_t, 3> block, std::vector<Axis> axes, Map map = Map::Interleaved) {
    return keepsWarpsWhole(block, axes, map);
  };
  EXPECT_TRUE(whole({128, 1, 1}, {{0, 2}}));
  EXPECT_TRUE(whole({128, 1, 1}, {{0, 4}}));
  EXPECT_FALSE(whole({128, 1, 1}, {{0, 8}}));
  EXPECT_FALSE(whole({128, 1, 1}, {{0, 2}}, Map::Blocked));
  EXPECT_TRUE(whole({32, 8, 1}, {{1, 8}}));
  EXPECT_TRUE(whole({32, 8, 1}, {{1, 4}}, Map::Blocked)); // rows are warps, and stay rows
  EXPECT_TRUE(whole({16, 16, 1}, {{1, 2}}));
  EXPECT_FALSE(whole({16, 16, 1}, {{0, 2}}));
  EXPECT_FALSE(whole({16, 16, 1}, {{1, 16}}));
}
