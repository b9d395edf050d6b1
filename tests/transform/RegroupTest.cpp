// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What regroup writes and what it refuses. That the results compute the same is the business of
// tests/regroup.
#include "transform/Optimized.h"

using namespace heddle;
using heddle::testing::messagesOf;
using heddle::testing::optimized;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

const std::string body = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i >= n)\n"
                         "    return;\n"
                         "  for (int k = 0; k < work[i]; ++k)\n"
                         "    a[i] += 1.0f;\n";

/// A kernel with this body, and a launch of it.
std::string kernel(const std::string &text, const std::string &before = "") {
  return before + "__global__ void k(float *a, const int *work, int n) {\n" + text +
         "}\nvoid f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }\n";
}
std::string regrouped(const std::string &text, const std::string &directive = "regroup by=work[i]") {
  return optimized(kernel(text), directive);
}

/// The only refusal, with its line and hint: "5: reason (hint)".
std::string refusal(const std::string &text, const std::string &directive) {
  const Diagnostics messages = messagesOf(text, directive);
  for (const Diagnostic &each : messages.all())
    if (each.voice == Voice::Refusal)
      return fmt::format("{}: {} ({})", each.place.line, each.text, each.hint);
  return "done";
}

const std::string alone = " (regroup is for kernels whose threads work by themselves)";

} // namespace

/// The key is found in one scope, and the kernel's beginning may lie in several.
TEST(Regroup, AVariableThatHidesAnotherGetsANameOfItsOwn) {
  const std::string text = regrouped("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "  if (i < n) {\n"
                                     "    const int j = work[i];\n"
                                     "    {\n"
                                     "      const int i = j + 1;\n"
                                     "      for (int k = 0; k < i; ++k)\n"
                                     "        a[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;\n"
                                     "    }\n"
                                     "  }\n",
                                     "regroup by=j");
  EXPECT_THAT(text, HasSubstr("      const int i2 = j + 1;\n      for (int k = 0; k < i2; ++k)\n"));
  EXPECT_THAT(text, HasSubstr("return heddle::keyOf(j);"));
  EXPECT_THAT(regrouped("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "  if (i < n) {\n"
                        "    const int i = work[blockIdx.x * blockDim.x + threadIdx.x];\n"
                        "    for (int k = 0; k < i; ++k)\n"
                        "      a[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;\n"
                        "  }\n",
                        "regroup by=n"),
              HasSubstr("const int i2 = work["));
}

TEST(Regroup, TheKernelIsToldWhoseWorkAThreadDoesAndItsTextStays) {
  EXPECT_EQ(regrouped(body),
            "#include <heddle/regroup.cuh>\n"
            "\n"
            "/// How threads of 'k' are regrouped (heddle/regroup.cuh).\n"
            "struct KWays : heddle::Ways<64> {\n"
            "  static constexpr const char *name = \"k\";\n"
            "  static __device__ unsigned key(float *a, const int *work, int n) {\n"
            "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i >= n)\n"
            "      return heddle::noWork;\n"
            "    return heddle::keyOf(work[i]);\n"
            "  }\n"
            "};\n"
            "\n"
            "__global__ void k(heddle::Regrouped<KWays> regrouped, float *a, const int *work, int n) {\n"
            "  const heddle::Item item = regrouped.item();\n"
            "  const uint3 threadIdx = item.threadIdx;\n"
            "  const uint3 blockIdx = item.blockIdx;\n" +
                body +
                "}\n"
                "void f(float *a, int *w, int n) { heddle::regroup(k, n / 64 + 1, 64)(a, w, n); }\n");
}

TEST(Regroup, AKernelThatReadsNothingItWritesMayRunTwice) {
  const std::string twice = "static constexpr bool mayRepeat = true;";
  const std::string start = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
  EXPECT_THAT(regrouped(start + "  if (i < n) a[i] = work[i];\n"), HasSubstr(twice));
  EXPECT_THAT(regrouped(body), Not(HasSubstr(twice))); // a[i] += 1
  EXPECT_THAT(regrouped(start + "  if (i < n) atomicAdd(&a[work[i]], 1.0f);\n"), Not(HasSubstr(twice)));
}

// Keys
// ---------------------------------------------------------------------------------------------------------

TEST(Regroup, OnlyWhatTheKeyNeedsIsDoneForIt) {
  const std::string text = regrouped("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "  const int half = n / 2;\n"
                                     "  const int j = i % half;\n"
                                     "  float sums[4];\n"
                                     "  const float scale = 1.0f / n;\n"
                                     "  a[i] = scale * work[j];\n",
                                     "regroup by=work[j]");
  EXPECT_THAT(text, HasSubstr("int n) {\n"
                              "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "    const int half = n / 2;\n"
                              "    const int j = i % half;\n"
                              "    return heddle::keyOf(work[j]);\n"));
}

TEST(Regroup, AnIfAroundEverythingIsAGuardOfTheKey) {
  EXPECT_THAT(regrouped("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "  if (i < n) {\n"
                        "    const int steps = work[i];\n"
                        "    a[i] = steps;\n"
                        "  }\n",
                        "regroup by=steps"),
              HasSubstr("    if (!(i < n))\n"
                        "      return heddle::noWork;\n"
                        "    const int steps = work[i];\n"
                        "    return heddle::keyOf(steps);\n"));
}

TEST(Regroup, AKeyMayHoldSpacesInsideOfBrackets) {
  EXPECT_THAT(regrouped(body, "regroup by=(work[i] * 2 + 1)"),
              HasSubstr("heddle::keyOf((work[i] * 2 + 1));"));
}

TEST(Regroup, AKeyAsksForNothingThatIsNotKnownAtTheStart) {
  EXPECT_EQ(refusal(kernel(body), "regroup by=k"),
            "5: regroup by=k: the key asks for 'k', which is not known at the kernel's start (a key is found "
            "before the "
            "kernel runs: from parameters, and from what is declared in front of all else)");
  EXPECT_EQ(refusal(kernel(body), "regroup by=wrok[i]"),
            "1: regroup by=wrok[i]: the key asks for 'wrok', and there is no such name (at its start the "
            "kernel knows "
            "work, a, n and i)");
  EXPECT_EQ(refusal(kernel(body), "regroup by=work[i"),
            "1: regroup by=work[i: the key 'work[i' does not compile: expected ']' (a key is an expression "
            "that gives a "
            "number, over what the kernel knows at its start)");
}

TEST(Regroup, AKeyMayCallAFunctionOfTheFile) {
  const std::string guess = "__device__ int guess(int steps) { return steps / 4; }\n";
  EXPECT_THAT(optimized(kernel(body, guess), "regroup by=guess(work[i])"),
              HasSubstr("return heddle::keyOf(guess(work[i]));"));
}

// Branches
// ---------------------------------------------------------------------------------------------------------

TEST(Regroup, ASwitchMakesQueues) {
  const std::string text = regrouped("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "  if (i >= n)\n"
                                     "    return;\n"
                                     "  switch (work[i]) {\n"
                                     "  case 0: a[i] = 1; break;\n"
                                     "  default: a[i] = 2; break;\n"
                                     "  }\n",
                                     "regroup by=branch");
  EXPECT_THAT(text, HasSubstr("static constexpr bool hasQueues = true;"));
  EXPECT_THAT(text, HasSubstr("return heddle::queueOf(work[i]);"));
  EXPECT_THAT(text, HasSubstr("  if (!item.isThere)\n    return;\n"));
}

TEST(Regroup, AnIfWithItsElsesMakesAQueueForEach) {
  EXPECT_THAT(regrouped("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                        "  const int kind = work[i];\n"
                        "  if (kind == 1)\n"
                        "    a[i] = 1;\n"
                        "  else if (kind == 4)\n"
                        "    a[i] = 2;\n"
                        "  else\n"
                        "    a[i] = 3;\n",
                        "regroup by=branch"),
              HasSubstr("return heddle::queueOf((kind == 1) ? 0 : (kind == 4) ? 1 : 2);"));
}

TEST(Regroup, BranchesOverWhatComesLateMakeNone) {
  EXPECT_EQ(refusal(kernel("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  float sum = 0;\n"
                           "  for (int k = 0; k < n; ++k)\n"
                           "    sum += work[k] * i;\n"
                           "  float late = sum;\n"
                           "  if (late > 3)\n"
                           "    a[i] = 1;\n"
                           "  else\n"
                           "    a[i] = 2;\n"),
                    "regroup by=branch"),
            "1: regroup by=branch: there is no branch over something that is known at the kernel's start "
            "(by=EXPRESSION "
            "names what to group threads by)");
}

TEST(Regroup, WhatIsReadForAKeyIsThereForAllWhoAreAskedForOne) {
  const std::string late = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  i += 1;\n"
                           "  if (i >= n)\n"
                           "    return;\n"
                           "  if (work[i] > 3)\n"
                           "    a[i] = 1;\n"
                           "  else\n"
                           "    a[i] = 2;\n";
  EXPECT_EQ(refusal(kernel(late), "regroup by=work[i]"),
            "4: regroup by=work[i]: the key reads memory, and for threads that are let go here there may be "
            "none (let guards "
            "stand in front of all that is no declaration)");
  EXPECT_THAT(refusal(kernel(late), "regroup by=branch"),
              HasSubstr("there is no branch over something that is known"));
  EXPECT_EQ(refusal(kernel(late), "regroup by=i"), "done");
}

TEST(Regroup, QueuesAreNotForKernelsThatAskForTheGrid) {
  EXPECT_EQ(refusal(kernel("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (work[i])\n"
                           "    a[i] = gridDim.x;\n"
                           "  else\n"
                           "    a[i] = 2;\n"),
                    "regroup by=branch"),
            "4: regroup by=branch: queues need more blocks than the original has, and the kernel asks for "
            "their number "
            "here ()");
}

// Counting
// ---------------------------------------------------------------------------------------------------------

TEST(Regroup, ACopyOfTheKernelCountsRoundsOfLoopsAlsoInFunctions) {
  const std::string steps = "__device__ int steps(int n) {\n"
                            "  int k = 0;\n"
                            "  while (n > k * k)\n"
                            "    ++k;\n"
                            "  return k;\n"
                            "}\n";
  const std::string text = optimized(kernel("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                            "  for (int k = 0; k < 3; ++k) {\n"
                                            "    a[i] = steps(work[i]);\n"
                                            "  }\n"
                                            "  for (int k = 0; k < 3; ++k)\n"
                                            "    for (int j = 0; j < k; ++j)\n"
                                            "      a[i] += j;\n",
                                            steps),
                                     "regroup by=profile");
  EXPECT_THAT(text, HasSubstr("__device__ int stepsCounted(heddle::Counter &counter, int n) {\n"
                              "  int k = 0;\n"
                              "  while (n > k * k) { counter.step();\n"
                              "    ++k; }\n"));
  EXPECT_THAT(
      text,
      HasSubstr("__global__ void kCounted(heddle::Counted counted, float *a, const int *work, int n) {\n"
                "  heddle::Counter counter(counted);\n"
                "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                "  for (int k = 0; k < 3; ++k) { counter.step();\n"
                "    a[i] = stepsCounted(counter, work[i]);\n"
                "  }\n"
                "  for (int k = 0; k < 3; ++k) { counter.step();\n"
                "    for (int j = 0; j < k; ++j) { counter.step();\n"
                "      a[i] += j; } }\n"));
  EXPECT_THAT(text, HasSubstr("heddle::regroup(k, kCounted, n / 64 + 1, 64)(a, w, n);"));
}

TEST(Regroup, WhereThereIsNoLoopThereIsNothingToCount) {
  EXPECT_EQ(refusal(kernel("  a[threadIdx.x] = work[threadIdx.x];\n"), "regroup"),
            "1: regroup: the kernel has no loop whose rounds could be counted (by=EXPRESSION names what to "
            "group threads "
            "by)");
  EXPECT_EQ(refusal(kernel(body), "regroup via=layout"),
            "1: regroup via=layout: counting does not tell which threads have no element to copy "
            "(via=redirect needs no "
            "copies; or name a key, by=EXPRESSION)");
}

// Layout
// ---------------------------------------------------------------------------------------------------------

TEST(Regroup, ArraysWithAnElementForEachThreadAreLaidOut) {
  const std::string text = regrouped("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "  if (i >= n)\n"
                                     "    return;\n"
                                     "  a[i] = work[i] + i;\n",
                                     "regroup by=work[i] via=layout");
  EXPECT_THAT(text, HasSubstr("using LaidOut = heddle::Layout<0, 1>; // a, work\n"));
  EXPECT_THAT(text, HasSubstr("using Overwritten = heddle::Layout<0>; // a\n"));
  EXPECT_THAT(text, HasSubstr("  a[item.slot] = work[item.slot] + i;\n"));
  EXPECT_THAT(text, HasSubstr("return heddle::keyOf(work[i]);"));
}

TEST(Regroup, ArraysThatAreReadElsewhereOrByFewStay) {
  const std::string start = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "  if (i >= n)\n"
                            "    return;\n";
  const auto laidOut = [&](const std::string &rest) {
    const std::string text = regrouped(start + rest, "regroup by=n-i via=layout");
    const size_t at = text.find("LaidOut = heddle::Layout<");
    return at == std::string::npos ? text : text.substr(at + 25, text.find('>', at) - at - 25);
  };
  EXPECT_EQ(laidOut("  a[i] = work[n - i];\n"), "0");
  EXPECT_EQ(laidOut("  a[i] = work[i] + work[0];\n"), "0");
  EXPECT_EQ(laidOut("  a[i] = i > 5 ? work[i] : 0;\n"), "0");              // there may be fewer of them
  EXPECT_EQ(laidOut("  if (i > 5) return;\n  a[i] = work[i];\n"), "0, 1"); // a further guard
  EXPECT_EQ(laidOut("  a[i] = 0;\n  if (i > 5) return;\n  a[i] = work[i];\n"), "0");
  EXPECT_EQ(laidOut("  if (i & 1) a[i] = work[i]; else a[i] = -work[i];\n"), "0, 1");
  EXPECT_EQ(laidOut("  switch (i % 3) { case 0: a[i] = work[i]; break; default: a[i] = 3; }\n"), "0");
  EXPECT_EQ(laidOut("  float *p = &a[i];\n  *p = work[i];\n"), "1");
  EXPECT_EQ(laidOut("  a[n - 1 - i] = work[n - 1 - i];\n"),
            "refused: regroup by=n-i via=layout: no array has an element for each thread that it touches and "
            "no other");
}

TEST(Regroup, WhatIsReadOrWrittenInPartsIsCopiedBefore) {
  EXPECT_THAT(regrouped("  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  a[i] += work[i];\n",
                        "regroup by=work[i] via=layout"),
              Not(HasSubstr("Overwritten")));
  EXPECT_THAT(
      optimized("struct Pair { int a, b; };\n"
                "__global__ void k(Pair *p) { p[blockIdx.x * blockDim.x + threadIdx.x].a = threadIdx.x; }\n"
                "void f(Pair *p) { k<<<2, 64>>>(p); }\n",
                "regroup by=threadIdx.x via=layout"),
      AllOf(HasSubstr("LaidOut = heddle::Layout<0>"), Not(HasSubstr("Overwritten"))));
}

TEST(Regroup, AKeyMayMentionPartsOfAStructuredBinding) {
  const std::string text = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  struct Pair { int first, second; };\n"
                           "  auto [low, high] = Pair{i & 3, i & 7};\n"
                           "  if (high > 3)\n"
                           "    a[i] = low;\n"
                           "  else\n"
                           "    a[i] = high;\n";
  const std::string declaration = "auto [low, high] = Pair{i & 3, i & 7};";
  for (const char *directive : {"regroup by=branch", "regroup by=high"}) {
    const std::string result = regrouped(text, directive);
    const size_t inKey = result.find(declaration), inKernel = result.find(declaration, inKey + 1);
    EXPECT_NE(inKernel, std::string::npos) << directive << ": " << result;
  }
}

TEST(Regroup, GuardsThatHangOnArraysAreNoneForALayout) {
  // Who has an element to copy must be known when arrays have changed.
  const std::string text = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  if (work[i] == 0)\n"
                           "    return;\n"
                           "  const int late = work[i] / 2;\n"
                           "  a[i] = late;\n";
  EXPECT_THAT(regrouped(text, "regroup by=late"),
              HasSubstr("if (work[i] == 0)\n      return heddle::noWork;"));
  EXPECT_THAT(refusal(kernel(text), "regroup by=late via=layout"),
              HasSubstr("not known at the kernel's start"));
}

// Kernels of all kinds
// ---------------------------------------------------------------------------------------------------------

TEST(Regroup, FunctionsThatAskWhoTheyAreAreTold) {
  const std::string text =
      optimized(kernel("  const int i = place();\n  a[i] = work[i];\n",
                       "__device__ int place() { return blockIdx.x * 64 + threadIdx.x; }\n"),
                "regroup by=work[blockIdx.x*64+threadIdx.x]");
  EXPECT_THAT(text, HasSubstr("__device__ int place(const heddle::Item &item) {\n"
                              "  const uint3 threadIdx = item.threadIdx;\n"
                              "  const uint3 blockIdx = item.blockIdx;"));
  EXPECT_THAT(text, HasSubstr("const int i = place(item);"));
}

TEST(Regroup, ATemplateHasATemplateOfKeys) {
  const std::string text = optimized("template <class T, int Most>\n"
                                     "__global__ void k(T *a, const int *work) {\n"
                                     "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                     "  for (int s = 0; s < work[i] % Most; ++s)\n"
                                     "    a[i] += 1;\n"
                                     "}\n"
                                     "void f(float *a, int *w) { k<float, 7><<<2, 32>>>(a, w); }\n",
                                     "regroup by=work[i]%Most");
  EXPECT_THAT(text, HasSubstr("template <class T, int Most>\nstruct KWays : heddle::Ways<32> {"));
  EXPECT_THAT(text, HasSubstr("__global__ void k(heddle::Regrouped<KWays<T, Most>> regrouped, T *a,"));
  EXPECT_THAT(text, HasSubstr("heddle::regroup(k<float, 7>, 2, 32)(a, w);"));
}

TEST(Regroup, BlocksInTwoDimensionsAndDeclarationsAhead) {
  const std::string text =
      optimized("__global__ void k(int *a, int n);\n"
                "__global__ void k(int *a, int n) {\n"
                "  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y;\n"
                "  a[y * n + x] = y;\n"
                "}\n"
                "void f(int *a) { k<<<2, dim3(16, 4)>>>(a, 32); }\n",
                "regroup by=y");
  EXPECT_THAT(text, HasSubstr("__global__ void k(heddle::Regrouped<struct KWays>, int *a, int n);"));
  EXPECT_THAT(text, HasSubstr("struct KWays : heddle::Ways<16, 4, 1> {"));
}

TEST(Regroup, TheHeaderComesBeforeTheKernelWhereverOthersAreIncluded) {
  const std::string text = optimized("#include <cstdio>\n"
                                     "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
                                     "void f(int *a) { k<<<2, 64>>>(a); }\n"
                                     "#include <cstring>\n",
                                     "regroup by=threadIdx.x");
  EXPECT_THAT(text, StartsWith("#include <cstdio>\n#include <heddle/regroup.cuh>\n"));
}

TEST(Regroup, ABlockThatDiffersIsToldAtRunTime) {
  EXPECT_THAT(optimized("__global__ void k(int *a) { a[threadIdx.x] = 1; }\n"
                        "void f(int *a, int n) { k<<<2, n>>>(a); }\n",
                        "regroup by=threadIdx.x"),
              HasSubstr("struct KWays : heddle::Ways<> {"));
}

// What is refused
// ---------------------------------------------------------------------------------------------------------

TEST(Regroup, WhatTiesThreadsToTheirNeighboursIsRefusedWhereItStands) {
  const std::string start = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
  const auto why = [&](const std::string &rest) { return refusal(kernel(start + rest), "regroup by=i"); };
  EXPECT_EQ(why("  a[i] = 1;\n  __syncthreads();\n"),
            "4: regroup by=i: '__syncthreads' waits for the threads beside this one, and regrouped those are "
            "others" +
                alone);
  EXPECT_EQ(why("  a[i] = 1;\n  __shared__ int tile[64];\n  tile[threadIdx.x] = i;\n"),
            "4: regroup by=i: 'tile' is shared by the threads of a block, and regrouped ones come from many" +
                alone);
  EXPECT_EQ(why("  a[i] = __shfl_xor_sync(~0u, i, 1);\n"),
            "3: regroup by=i: threads of a warp speak with each other here, and regrouped those are others" +
                alone);
  EXPECT_EQ(why("  a[i] = a[i + 1];\n"), "3: regroup by=i: two threads touch the same element of 'a' and one "
                                         "of them writes: the result hangs on their "
                                         "order" +
                                             alone);
  EXPECT_EQ(why("  while (*(volatile const int *)work != i) {}\n  a[i] = 1;\n"),
            "3: regroup by=i: this loop waits for what another thread does, and in another order that may "
            "come later" +
                alone);
  EXPECT_EQ(why("  unsigned lane;\n  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n  a[i] = lane;\n"),
            "4: regroup by=i: this assembly reads '%laneid', the place of the thread that runs, not of the "
            "one whose work "
            "it does" +
                alone);
  EXPECT_EQ(refusal(kernel("  atomicAdd(a, 1.0f);\n"), "regroup by=n"),
            "1: regroup by=n: no thread of this kernel asks which one it is: all do the same ()");
}

TEST(Regroup, LaunchesThatCannotBeRewrittenAreRefused) {
  const std::string text = "__global__ void k(int *a) { a[threadIdx.x] = 1; }\n";
  EXPECT_EQ(
      refusal(text + "void f(int *a) { void *p[] = {&a}; cudaLaunchKernel((void *)k, 2, 32, p, 0, 0); }\n",
              "regroup by=threadIdx.x"),
      "2: regroup by=threadIdx.x: this launch hands its arguments over by address, of which keys cannot be "
      "found ()");
  EXPECT_EQ(refusal(text + "void f(int *a) { k<<<2, 32>>>(a); }\n",
                    "regroup by=threadIdx.x; regroup by=threadIdx.x"),
            "1: regroup by=threadIdx.x: the kernel's threads are regrouped already ()");
}

TEST(Regroup, FunctionsThatTheCountingKernelCallsStayAsTheyAre) {
  const std::string functions = "__device__ int own() { return blockIdx.x * blockDim.x + threadIdx.x; }\n"
                                "__device__ int limit(const int *work) {\n"
                                "  int most = 0;\n"
                                "  for (int j = 0; j < work[own()]; ++j)\n"
                                "    ++most;\n"
                                "  return most;\n"
                                "}\n";
  const std::string text = optimized(kernel("  const int i = own();\n"
                                            "  if (i >= n)\n"
                                            "    return;\n"
                                            "  for (int j = 0; j < limit(work); ++j)\n"
                                            "    a[i] += 1.0f;\n",
                                            functions),
                                     "regroup by=profile");
  // The original, which the counting copies call; and a copy that gets the index of its work item.
  EXPECT_THAT(text, AllOf(HasSubstr("__device__ int own() {"),
                          HasSubstr("__device__ int ownOfk(const heddle::Item &item) {")));
  EXPECT_THAT(text, HasSubstr("limitCounted(heddle::Counter &counter, const int *work) {"));
  EXPECT_THAT(text, HasSubstr("j < limitOfk(item, work)"));
  EXPECT_THAT(text, HasSubstr("j < limitCounted(counter, work)"));
  // It compiles: another directive reads it.
  EXPECT_THAT(optimized(text, "scalar-replace"), HasSubstr("ownOfk"));
}

TEST(Regroup, AKernelThatMayReadWhatItWritesIsNotRunTwice) {
  const std::string text = "__global__ void k(float *a, const float *b, int n) {\n"
                           "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  a[i] = b[i] + 1.0f;\n}\n";
  const auto launched = [&](const std::string &arguments) {
    return optimized(text + "int main() { float *p, *q; cudaMalloc(&p, 9); cudaMalloc(&q, 9); k<<<4, 64>>>(" +
                         arguments + ", 9); }\n",
                     "regroup by=n-i");
  };
  EXPECT_THAT(launched("p, q"), HasSubstr("mayRepeat"));
  EXPECT_THAT(launched("p, p"), AllOf(HasSubstr("heddle::regroup"), Not(HasSubstr("mayRepeat"))));
}
