// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `specialize by=branch` writes and what it refuses. That the results compute the same is the business
// of tests/specialize/branch.
#include "transform/Optimized.h"

using namespace heddle;
using heddle::testing::messagesOf;
using heddle::testing::optimized;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

const std::string byBranch = "specialize by=branch";

/// A kernel with this body, and a launch of it.
std::string kernel(const std::string &body,
                   const std::string &launch = "k<<<4, 128>>>(nullptr, nullptr, 0);") {
  return "__global__ void k(float *a, const int *kind, int n) {\n" + body + "}\nint main() { " + launch +
         " }\n";
}

std::string specialized(const std::string &body) { return optimized(kernel(body), byBranch); }

/// Two arms with work, by the item `i`.
const std::string arms = "  if (kind[i] == 1)\n"
                         "    a[i] = 1.0f;\n"
                         "  else\n"
                         "    a[i] = a[i] * 2.0f;\n";
const std::string ownIndex = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";
const std::string strided =
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {\n";

/// The refusal of a text, with its place and hint.
Diagnostic refusalOf(const std::string &body) {
  const Diagnostics messages = messagesOf(kernel(body), byBranch);
  for (const Diagnostic &each : messages.all())
    if (each.voice == Voice::Refusal)
      return each;
  return {Voice::Done, {}, "not refused", {}, {}};
}

} // namespace

TEST(SpecializeBranch, ASwitchIsAskedBeforeTheWorkAndWarpsTakeOneKindEach) {
  EXPECT_EQ(optimized("#include <cstdio>\n"
                      "\n"
                      "__global__ void k(float *a, const int *kind, int n) {\n"
                      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                      "  if (i >= n)\n"
                      "    return; // none\n"
                      "  float x = a[i];\n"
                      "  switch (kind[i]) {\n"
                      "  case 1:\n"
                      "    x = sqrtf(x);\n"
                      "    break;\n"
                      "  case 2:\n"
                      "  case 3: x = sinf(x); break;\n"
                      "  default: x = 0.0f;\n"
                      "  }\n"
                      "  a[i] = x;\n"
                      "}\n"
                      "void f(float *a, int *b) { k<<<8, 96>>>(a, b, 9); }\n",
                      byBranch),
            "#include <cstdio>\n"
            "\n"
            "#include <heddle/kinds.cuh>\n"
            "\n"
            "__global__ void k(float *a, const int *kind, int n) {\n"
            "  // Warps take work of one kind at a time: this says of which kind an item is.\n"
            "  const auto kindOf = [&](const uint3 threadIdx) -> int {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i >= n)\n"
            "      return heddle::noKind;\n"
            "    switch (kind[i]) {\n"
            "    case 1: return 0;\n"
            "    case 2:\n"
            "    case 3: return 1;\n"
            "    default: return 2;\n"
            "    }\n"
            "  };\n"
            "  const auto work = [&](const uint3 threadIdx) {\n"
            "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "    if (i >= n)\n"
            "      return; // none\n"
            "    float x = a[i];\n"
            "    switch (kind[i]) {\n"
            "    case 1:\n"
            "      x = sqrtf(x);\n"
            "      break;\n"
            "    case 2:\n"
            "    case 3: x = sinf(x); break;\n"
            "    default: x = 0.0f;\n"
            "    }\n"
            "    a[i] = x;\n"
            "  };\n"
            "  __shared__ heddle::KindQueues<heddle::ThreadItem, 3, 96> queues;\n"
            "  heddle::workByKind(queues, heddle::ThreadItem::own(), kindOf(threadIdx), work);\n"
            "}\n"
            "void f(float *a, int *b) { k<<<8, 96>>>(a, b, 9); }\n");
}

TEST(SpecializeBranch, ALoopOverItemsIsDoneInRounds) {
  EXPECT_THAT(specialized(strided + "    if (a[i] < 0)\n"
                                    "      continue;\n"
                                    "    if (kind[i] == 1) {\n"
                                    "      a[i] = 1.0f;\n"
                                    "    } else if (kind[i] == 2) {\n"
                                    "      a[i] = 2.0f;\n"
                                    "    }\n"
                                    "  }\n"),
              HasSubstr("  const auto kindOf = [&](const int i) -> int {\n"
                        "    if (a[i] < 0)\n"
                        "      return heddle::noKind;\n"
                        "    if (kind[i] == 1)\n"
                        "      return 0;\n"
                        "    else if (kind[i] == 2)\n"
                        "      return 1;\n"
                        "    return heddle::noKind;\n"
                        "  };\n"
                        "  const auto work = [&](const int i) {\n"
                        "    if (a[i] < 0)\n"
                        "      return;\n"
                        "    if (kind[i] == 1) {\n"
                        "      a[i] = 1.0f;\n"
                        "    } else if (kind[i] == 2) {\n"
                        "      a[i] = 2.0f;\n"
                        "    }\n"
                        "  };\n"
                        "  __shared__ heddle::KindQueues<int, 2, 128> queues;\n"
                        "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; __syncthreads_or(i < n);) {\n"
                        "    const bool hasItem = i < n;\n"
                        "    heddle::workByKind(queues, i, hasItem ? kindOf(i) : heddle::noKind, work);\n"
                        "    if (hasItem)\n"
                        "      i += gridDim.x * blockDim.x;\n"
                        "  }\n"));
}

TEST(SpecializeBranch, WhatStandsBeforeABarrierStaysWithItsThread) {
  const std::string text = specialized("  __shared__ float t[128];\n"
                                       "  t[threadIdx.x] = a[threadIdx.x];\n"
                                       "  __syncthreads();\n" +
                                       ownIndex + arms);
  EXPECT_THAT(text, HasSubstr("  t[threadIdx.x] = a[threadIdx.x];\n"
                              "  __syncthreads();\n"
                              "  // Warps take"));
  EXPECT_THAT(text, Not(HasSubstr("    t[threadIdx.x]")));
}

TEST(SpecializeBranch, OnlyWhatTheKindNeedsIsWorkedOutBeforehand) {
  const std::string text =
      specialized(ownIndex + "  float unused = a[i + 1], needed = a[i];\n"
                             "  int which = 0;\n"
                             "  if (needed > 0)\n"
                             "    which = kind[i];\n"
                             "  float more = a[i + 2];\n"
                             "  if (which == 3) { a[i] = unused; } else { a[i] = more; }\n");
  EXPECT_THAT(text, HasSubstr("-> int {\n"
                              "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "    float needed = a[i];\n"
                              "    int which = 0;\n"
                              "    if (needed > 0)\n"
                              "      which = kind[i];\n"
                              "    if (which == 3)\n"
                              "      return 0;\n"
                              "    return 1;\n"
                              "  };\n"));
}

// A guard behind a store ends work that has done something: such items must not be passed over.
TEST(SpecializeBranch, ItemsThatDoSomethingOutsideOfTheArmsAreAKindOfTheirOwn) {
  const std::string behindStore = specialized(ownIndex +
                                              "  a[i] = 0.0f;\n"
                                              "  if (i >= n)\n"
                                              "    return;\n" +
                                              arms);
  EXPECT_THAT(behindStore, HasSubstr("    if (i >= n)\n      return 2;\n"));
  EXPECT_THAT(behindStore, HasSubstr("KindQueues<heddle::ThreadItem, 3, 128>"));

  const std::string storeBehind = specialized(ownIndex + "  float x = 0;\n"
                                                         "  switch (kind[i]) {\n"
                                                         "  case 0: x = a[i]; break;\n"
                                                         "  case 1: x = a[i + 1]; break;\n"
                                                         "  }\n"
                                                         "  a[i] = x;\n");
  EXPECT_THAT(storeBehind, HasSubstr("    }\n    return 2;\n  };\n"));
}

TEST(SpecializeBranch, AnEmptyArmIsNoWork) {
  EXPECT_THAT(specialized(ownIndex + "  switch (kind[i]) {\n"
                                     "  case 0: a[i] = 1.0f; break;\n"
                                     "  case 1: break;\n"
                                     "  case 2: a[i] = 2.0f; break;\n"
                                     "  default: break;\n"
                                     "  }\n"),
              HasSubstr("    case 0: return 0;\n"
                        "    case 1: return heddle::noKind;\n"
                        "    case 2: return 1;\n"
                        "    default: return heddle::noKind;\n"));
}

TEST(SpecializeBranch, TheBranchWithTheMostWorkIsTaken) {
  const std::string text = specialized(ownIndex + "  float x = 0;\n"
                                                  "  if (kind[i] < 0) x = 1; else x = 2;\n"
                                                  "  switch (kind[i]) {\n"
                                                  "  case 0: for (int k = 0; k < n; ++k) x += a[k]; break;\n"
                                                  "  default: for (int k = 0; k < n; ++k) x *= a[k];\n"
                                                  "  }\n"
                                                  "  a[i] = x;\n");
  EXPECT_THAT(text, HasSubstr("-> int {\n"
                              "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                              "    switch (kind[i]) {\n"));
}

TEST(SpecializeBranch, ATemplateIsWrittenForAllItsInstances) {
  EXPECT_THAT(optimized("template <class T, class I> __global__ void k(T *a, I n) {\n"
                        "  for (I i = threadIdx.x; i < n; i += blockDim.x) {\n"
                        "    if (a[i] > T(0)) a[i] -= T(1); else a[i] += T(2);\n"
                        "  }\n"
                        "}\n"
                        "void f(float *a, double *b) { k<<<1, 64>>>(a, 9); k<<<1, 64>>>(b, 9ll); }\n",
                        byBranch),
              HasSubstr("__shared__ heddle::KindQueues<I, 2, 64> queues;"));
}

TEST(SpecializeBranch, ABlockOfUnknownSizeGetsRoomForTheLargest) {
  EXPECT_THAT(
      optimized("__global__ void k(float *a, const int *kind) {\n" + ownIndex + arms + "}\n", byBranch),
      HasSubstr("KindQueues<heddle::ThreadItem, 2, 1024>"));
}

TEST(SpecializeBranch, NamesThatAreTakenAreNotUsed) {
  EXPECT_THAT(specialized(ownIndex + "  int work = kind[i];\n"
                                     "  if (work == 0) a[i] = 1; else a[i] = 2;\n"),
              HasSubstr("const auto work2 = [&](const uint3 threadIdx) {"));
}

TEST(SpecializeBranch, TheReportSaysByWhichBranch) {
  const Diagnostics messages = messagesOf(kernel(ownIndex + arms), byBranch);
  EXPECT_THAT(messages.all().front().text,
              StartsWith("warps of 'k' serve one kind of work at a time: 2 kinds by the if at line 3"));
}

// What is specialized already

TEST(SpecializeBranch, ABranchByBlockOrByWarpStaysWithARemark) {
  for (const char *condition : {"blockIdx.x % 2", "threadIdx.x / 32 == 1", "n > 3"}) {
    const std::string text = kernel(ownIndex + "  if (" + condition + ") a[i] = 1; else a[i] = 2;\n");
    EXPECT_EQ(optimized(text, byBranch), text) << condition;
    const Diagnostics messages = messagesOf(text, byBranch);
    ASSERT_EQ(messages.all().size(), 1u);
    EXPECT_EQ(messages.all().front().voice, Voice::Kept);
    EXPECT_EQ(messages.all().front().place.line, 3u);
    EXPECT_THAT(messages.all().front().text,
                StartsWith("all threads of a warp go the same way here already"));
  }
}

// Refusals: the place and the reason

struct Refused {
  const char *name;
  std::string body;
  unsigned line;
  std::string reason;
};

class SpecializeBranchRefuses : public ::testing::TestWithParam<Refused> {};

TEST_P(SpecializeBranchRefuses, WithPlaceAndReason) {
  const Diagnostic refusal = refusalOf(GetParam().body);
  EXPECT_THAT(refusal.text, StartsWith(byBranch + ": "));
  EXPECT_THAT(refusal.text, HasSubstr(GetParam().reason));
  EXPECT_EQ(refusal.place.line, GetParam().line) << refusal.text;
}

INSTANTIATE_TEST_SUITE_P(
    All, SpecializeBranchRefuses,
    ::testing::Values(
        Refused{"NoBranch", ownIndex + "  a[i] = 1;\n", 1, "no switch and no if-chain"},
        Refused{"OneArmOnly", ownIndex + "  if (kind[i] == 1) a[i] = 1;\n", 1, "no switch and no if-chain"},
        Refused{"OneArmWithWork",
                ownIndex + "  switch (kind[i]) {\n"
                           "  case 1: a[i] = 1; break;\n"
                           "  default: break;\n"
                           "  }\n",
                3, "one arm of this branch alone has work"},
        Refused{"BranchInALoopOfTheItem",
                ownIndex + "  for (int k = 0; k < n; ++k)\n"
                           "    while (a[i] > k)\n"
                           "      switch (kind[i + k]) {\n"
                           "      case 0: a[i] = 1; break;\n"
                           "      default: a[i] = 2;\n"
                           "      }\n",
                5, "no item goes one way only"},
        Refused{"BarrierInAnArm",
                ownIndex + "  if (kind[i]) {\n"
                           "    a[i] = 1;\n"
                           "    __syncthreads();\n"
                           "  } else {\n"
                           "    a[i] = 2;\n"
                           "  }\n",
                5, "'__syncthreads' stands in work"},
        Refused{"BarrierBehindTheBranch", ownIndex + arms + "  __syncthreads();\n  a[i] += a[i + 1];\n", 7,
                "'__syncthreads' stands in work"},
        Refused{"Shuffle",
                ownIndex + "  float x = 0;\n"
                           "  if (kind[i]) x = __shfl_xor_sync(~0u, a[i], 1); else x = 2;\n"
                           "  a[i] = x;\n",
                4, "lanes of a warp speak with each other"},
        Refused{"Ballot",
                ownIndex + "  unsigned m = __ballot_sync(~0u, kind[i] > 0);\n" + arms + "  a[0] = m;\n", 3,
                "lanes of a warp speak with each other"},
        Refused{"Assembly",
                ownIndex +
                    "  int lane;\n"
                    "  asm(\"mov.u32 %0, %%warpid;\" : \"=r\"(lane));\n" +
                    arms + "  a[i] += lane;\n",
                4, "inline assembly"},
        Refused{"Volatile", ownIndex + "  volatile float *v = a;\n  if (kind[i]) v[i] = 1; else v[i] = 2;\n",
                4, "volatile"},
        Refused{"ReturnBeforeTheBarrier",
                "  __shared__ float t[128];\n"
                "  if (threadIdx.x > 100)\n"
                "    return;\n"
                "  t[threadIdx.x] = 1;\n"
                "  __syncthreads();\n" +
                    ownIndex + arms,
                4, "would not come to where the block sorts"},
        Refused{"ValueFromBeforeTheBarrier",
                "  __shared__ float t[128];\n"
                "  int own = threadIdx.x * 2;\n"
                "  t[threadIdx.x] = own;\n"
                "  __syncthreads();\n" +
                    ownIndex + "  if (kind[i]) a[i] = own; else a[i] = 2;\n",
                7, "'own' differs by thread"},
        Refused{"ChangedParameter", ownIndex + "  a += 3;\n" + arms, 3, "'a' is changed here"},
        Refused{"SharedMemoryOfTheWork",
                ownIndex + "  __shared__ float t[128];\n  t[threadIdx.x] = 0;\n" + arms, 3,
                "'t' is shared memory that the work declares"},
        Refused{"KindFromAnAtomic",
                ownIndex + "  int ticket = atomicAdd((int *)a, 1);\n"
                           "  if (kind[ticket]) a[i] = 1; else a[i] = 2;\n",
                3, "cannot be done twice"},
        Refused{"SumOverItems",
                "  float sum = 0;\n" + strided +
                    "    if (kind[i]) sum += a[i]; else sum -= 1;\n"
                    "  }\n"
                    "  a[threadIdx.x] = sum;\n",
                4, "'sum' is changed here"},
        Refused{"ThreadOfTheLoop", strided + "    if (kind[i]) a[i] = threadIdx.x; else a[i] = 1;\n  }\n", 3,
                "'threadIdx.x' in the loop's body"},
        Refused{"BreakOfTheLoop", strided + "    if (a[i] < 0) break;\n" + arms + "  }\n", 3,
                "'break' leaves"},
        Refused{"ReturnInTheLoop", strided + "    if (a[i] < 0) return;\n" + arms + "  }\n", 3,
                "'return' ends the later items"},
        Refused{"CounterChangedInTheBody", strided + arms + "    i += 2;\n  }\n", 7,
                "counter 'i' is changed in its body"}),
    [](const ::testing::TestParamInfo<Refused> &info) { return info.param.name; });

TEST(SpecializeBranch, AFunctionThatAsksForItsThreadIsRefusedAtTheCall) {
  const std::string text = "__device__ float own(const float *a) { return a[threadIdx.x]; }\n" +
                           kernel(ownIndex + "  if (kind[i])\n    a[i] = own(a);\n  else\n    a[i] = 2;\n");
  const Diagnostics messages = messagesOf(text, byBranch);
  ASSERT_EQ(messages.all().size(), 1u);
  const Diagnostic &refusal = messages.all().front();
  EXPECT_THAT(refusal.text, HasSubstr("'own' asks for 'threadIdx.x' itself"));
  EXPECT_EQ(refusal.place.line, 5u);
  EXPECT_EQ(refusal.hint, "give it the index as an argument");
}

TEST(SpecializeBranch, AKernelWithoutRoomInSharedMemoryIsRefused) {
  EXPECT_THAT(specialized("  __shared__ float t[12200];\n"
                          "  t[threadIdx.x] = 0;\n"
                          "  __syncthreads();\n" +
                          ownIndex + arms),
              HasSubstr("refused: specialize by=branch: the kernel has 48800 bytes of shared memory"));
}

TEST(SpecializeBranch, SettingsForTilesAreRefused) {
  EXPECT_THAT(optimized(kernel(ownIndex + arms), "specialize by=branch buffers=2"),
              HasSubstr("'buffers' is for tiles"));
}
