// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the first stage of consolidate writes and what it refuses. That the results compute the same is the
// business of tests/consolidate.
#include "transform/consolidate/Aggregate.h"

#include "arch/Arch.h"
#include "transform/Optimized.h"
#include "transform/consolidate/WarpBlock.h"

using namespace heddle;
using namespace heddle::transform;
using heddle::testing::messagesOf;
using heddle::testing::optimized;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

namespace {

constexpr const char *firstStage = "consolidate remap=off delegate=off";

/// A kernel with this body, after the first stage, launched with this block.
std::string aggregated(const std::string &body, const std::string &block = "64",
                       const std::string &before = "") {
  return optimized(before + "__global__ void k(int *a, const int *b, int n) {\n" + body +
                       "}\nvoid f(int *a, const int *b, dim3 shape, int threads) {\n  k<<<9, " + block +
                       ">>>(a, b, 7);\n}\n",
                   firstStage);
}

/// One barrier between two uses of a shared array.
std::string exchange(const std::string &thread = "threadIdx.x") {
  return "  __shared__ int s[1024];\n  s[" + thread + "] = b[" + thread + "];\n  __syncthreads();\n  a[" +
         thread + "] = s[" + thread + " / 2];\n";
}

std::array<unsigned, 3> lanesOf(std::array<int64_t, 3> block) {
  return evenLanes(block).value_or(std::array<unsigned, 3>{});
}

using Shape = std::array<unsigned, 3>;

} // namespace

TEST(Aggregate, BlocksOfWholeWarpsKeepTheShapeOfTheirFirst) {
  EXPECT_EQ(lanesOf({256, 1, 1}), (Shape{32, 1, 1}));
  EXPECT_EQ(lanesOf({16, 16, 1}), (Shape{16, 2, 1}));
  EXPECT_EQ(lanesOf({8, 4, 4}), (Shape{8, 4, 1}));
  EXPECT_EQ(lanesOf({64, 4, 1}), (Shape{32, 1, 1}));
  EXPECT_EQ(lanesOf({4, 2, 8}), (Shape{4, 2, 4}));
  EXPECT_EQ(lanesOf({48, 1, 1}), Shape{});
  EXPECT_EQ(lanesOf({12, 8, 1}), Shape{});
  EXPECT_EQ(lanesOf({8, 2, 1}), Shape{});
}

TEST(Aggregate, EachLaneDoesTheWorkOfSeveralThreadsAndTheWarpWaits) {
  EXPECT_EQ(aggregated("  __shared__ int s[64];\n"
                       "  s[threadIdx.x] = b[blockIdx.x * blockDim.x + threadIdx.x];\n"
                       "  __syncthreads();\n"
                       "  a[threadIdx.x] = s[63 - threadIdx.x];\n"),
            "__global__ void k(int *a, const int *b, int n) {\n"
            "  __shared__ int s[64];\n"
            "  #pragma unroll\n"
            "  for (unsigned kx = 0; kx < 2; ++kx) {\n"
            "    const unsigned threadX = threadIdx.x + kx * 32;\n"
            "    s[threadX] = b[blockIdx.x * 64u + threadX];\n"
            "  }\n"
            "  __syncwarp();\n"
            "  #pragma unroll\n"
            "  for (unsigned kx = 0; kx < 2; ++kx) {\n"
            "    const unsigned threadX = threadIdx.x + kx * 32;\n"
            "    a[threadX] = s[63 - threadX];\n"
            "  }\n"
            "}\n"
            "void f(int *a, const int *b, dim3 shape, int threads) {\n"
            "  k<<<9, 32>>>(a, b, 7);\n"
            "}\n");
}

TEST(Aggregate, RowsOfHalfAWarpGoInPairs) {
  std::string text = aggregated(exchange("threadIdx.y * 16 + threadIdx.x"), "dim3(16, 16)");
  EXPECT_THAT(text, HasSubstr("for (unsigned ky = 0; ky < 8; ++ky)"));
  EXPECT_THAT(text, HasSubstr("const unsigned threadY = threadIdx.y + ky * 2;"));
  EXPECT_THAT(text, HasSubstr("k<<<9, dim3(16, 2)>>>"));
}

TEST(Aggregate, ThreadsBeyondTheLastDoNotExist) {
  std::string text = aggregated(exchange(), "48");
  EXPECT_THAT(
      text,
      HasSubstr("const unsigned thread = threadIdx.x + kx * 32;\n    if (thread >= 48)\n      break;\n"));
  EXPECT_THAT(text, HasSubstr("k<<<9, 32>>>"));
}

TEST(Aggregate, ABlockOfUnevenRowsIsTakenInARow) {
  std::string text = aggregated(exchange("threadIdx.y * blockDim.x + threadIdx.x"), "dim3(12, 10)");
  EXPECT_THAT(text, HasSubstr("s[(thread / 12u) * 12u + (thread % 12u)]"));
  EXPECT_THAT(text, HasSubstr("if (thread >= 120)"));
}

TEST(Aggregate, LanesWithoutAThreadLeaveAtOnce) {
  std::string text = aggregated(exchange(), "24");
  EXPECT_THAT(text, HasSubstr("{\n  if (threadIdx.x >= 24) return;\n"));
  EXPECT_THAT(text, HasSubstr("__syncwarp();"));
  EXPECT_THAT(text, HasSubstr("k<<<9, 32>>>"));
}

TEST(Aggregate, WhatOnlyTheLaunchKnowsIsToldToTheKernel) {
  std::string text = aggregated(exchange("(blockDim.x - 1 - threadIdx.x)"), "threads");
  EXPECT_THAT(text, HasSubstr("#include <heddle/consolidate.cuh>"));
  EXPECT_THAT(text, HasSubstr("void k(const unsigned blockThreads, int *a,"));
  EXPECT_THAT(text, HasSubstr("k<<<9, 32>>>(heddle::blockThreads<1024>(threads, \"k\"), a, b, 7);"));
  EXPECT_THAT(text, HasSubstr("s[(blockThreads - 1 - thread)]"));
}

TEST(Aggregate, LaunchBoundsBoundABlockThatIsNotKnown) {
  std::string text =
      optimized("__global__ void __launch_bounds__(128) k(int *a) {\n  __shared__ int s[128];\n"
                "  s[threadIdx.x] = 1;\n  __syncthreads();\n  a[threadIdx.x] = s[0];\n}\n"
                "void f(int *a, int n) { k<<<1, n>>>(a); }\n",
                firstStage);
  EXPECT_THAT(text, HasSubstr("__launch_bounds__(32)"));
  EXPECT_THAT(text, HasSubstr("kx < 4;"));
  EXPECT_THAT(text, HasSubstr("blockThreads<128>(n"));
}

TEST(Aggregate, AShapeThatOnlyTheLaunchKnowsIsToldAsAWhole) {
  std::string text = aggregated(exchange("threadIdx.y * blockDim.x + threadIdx.x"), "shape");
  EXPECT_THAT(text, HasSubstr("void k(const dim3 blockShape, int *a,"));
  EXPECT_THAT(text, HasSubstr("(thread % blockShape.x)"));
  EXPECT_THAT(text, HasSubstr("heddle::blockShape<1024>(shape, \"k\")"));
}

TEST(Aggregate, AShapeThatMayChangeWhenAskedAgainIsRefused) {
  std::string text = optimized("__global__ void k(int *a) {\n  __shared__ int s[64];\n  s[threadIdx.x] = 1;\n"
                               "  __syncthreads();\n  a[threadIdx.x] = s[0];\n}\n"
                               "int next();\nvoid f(int *a) { k<<<1, next()>>>(a); }\n",
                               firstStage);
  EXPECT_THAT(text, HasSubstr("'next()' must be said twice"));
}

// Smaller blocks

TEST(Aggregate, ThreadsThatOnlyKnowTheirPlaceInTheGridGetSmallerBlocks) {
  std::string text = aggregated("  const int tid = threadIdx.x;\n"
                                "  int i = int(blockIdx.x * blockDim.x) + tid;\n"
                                "  for (; i < n; i += gridDim.x * blockDim.x)\n"
                                "    a[i] = b[i];\n",
                                "256");
  EXPECT_THAT(text, HasSubstr("int i = int(blockIdx.x * 32u) + tid;"));
  EXPECT_THAT(text, HasSubstr("i += gridDim.x * 32u"));
  EXPECT_THAT(text, HasSubstr("k<<<(9) * 8, 32>>>"));
}

TEST(Aggregate, RowsBecomeBlocksWhereNobodyCanTell) {
  std::string text = optimized(
      "__global__ void k(int *a) {\n"
      "  a[(blockIdx.y * blockDim.y + threadIdx.y) * 64 + blockIdx.x * blockDim.x + threadIdx.x] = 1;\n"
      "}\nvoid f(int *a, dim3 grid) { k<<<grid, dim3(32, 8)>>>(a); }\n",
      firstStage);
  EXPECT_THAT(text, StartsWith("#include <heddle/consolidate.cuh>\n\n__global__ void k(int *a) {\n"));
  EXPECT_THAT(text, HasSubstr("k<<<heddle::grownGrid<1, 8, 1>(grid, \"k\"), 32>>>"));
}

TEST(Aggregate, AGridThatWouldGrowTooLongKeepsItsBlocks) {
  std::string text = optimized(
      "__global__ void k(int *a) {\n"
      "  a[(blockIdx.y * blockDim.y + threadIdx.y) * 32 + blockIdx.x * blockDim.x + threadIdx.x] = 1;\n"
      "}\nvoid f(int *a) { k<<<dim3(1, 10000), dim3(32, 8)>>>(a); }\n",
      firstStage);
  EXPECT_THAT(text, HasSubstr("for (unsigned ky = 0; ky < 8; ++ky)"));
}

TEST(Aggregate, AThreadThatKnowsItsBlockKeepsIt) {
  // By itself, by a local that is used elsewhere too, twice in one sum, and cut short before it is added.
  for (const char *body : {"  a[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;\n",
                           "  int t = threadIdx.x;\n  a[blockIdx.x * blockDim.x + t] = t;\n",
                           "  a[threadIdx.x + (blockIdx.x * blockDim.x + threadIdx.x)] = 1;\n",
                           "  a[blockIdx.x * blockDim.x + (unsigned char)threadIdx.x] = 1;\n",
                           "  int t = threadIdx.x;\n  t += 1;\n  a[blockIdx.x * blockDim.x + t] = 1;\n",
                           "  a[blockIdx.x * blockDim.y + threadIdx.x] = 1;\n"})
    EXPECT_THAT(aggregated(body, "256"), HasSubstr("kx < 8")) << body;
}

TEST(Aggregate, AFunctionThatKnowsItsBlockKeepsItToo) {
  EXPECT_THAT(aggregated("  a[blockIdx.x * blockDim.x + threadIdx.x] = lane();\n", "256",
                         "__device__ int lane() { return threadIdx.x % 64; }\n"),
              HasSubstr("lane(threadX)"));
}

// Barriers

TEST(Aggregate, VotesOfTheBlockBecomeVotesOfTheWarpBehindASynchronization) {
  std::string text = aggregated("  int any = __syncthreads_or(b[threadIdx.x]);\n"
                                "  int all = __syncthreads_and(b[threadIdx.x] > 1);\n"
                                "  a[threadIdx.x] = any + all;\n");
  EXPECT_THAT(text, HasSubstr("(__syncwarp(), __any_sync(0xffffffffu, vote[0] | vote[1]))"));
  EXPECT_THAT(text, HasSubstr("(__syncwarp(), __all_sync(0xffffffffu, vote2[0] & vote2[1]))"));
  EXPECT_THAT(text, Not(HasSubstr("__syncthreads")));
}

TEST(Aggregate, ItemsThatHaveReturnedDoNotVote) {
  std::string text =
      aggregated("  if (b[threadIdx.x] < 0)\n    return;\n"
                 "  int count = __syncthreads_count(b[threadIdx.x] > 5);\n  a[threadIdx.x] = count;\n");
  EXPECT_THAT(text, HasSubstr("__ballot_sync(0xffffffffu, (active[1] && vote[1]))"));
}

TEST(Aggregate, AFunctionThatWaitsIsPutInThePlaceOfItsCall) {
  std::string text = aggregated("  __shared__ int s[64];\n  s[threadIdx.x] = b[threadIdx.x];\n  wait();\n"
                                "  a[threadIdx.x] = s[63 - threadIdx.x];\n",
                                "64", "static __device__ void wait() { __syncthreads(); }\n");
  EXPECT_THAT(text, HasSubstr("__syncwarp();"));
  EXPECT_THAT(text, Not(HasSubstr("__syncthreads")));
}

TEST(Aggregate, AssemblyThatWaitsIsReplaced) {
  std::string text =
      aggregated("  __shared__ int s[64];\n  s[threadIdx.x] = b[threadIdx.x];\n"
                 "  asm volatile(\"bar.sync 0;\");\n  a[threadIdx.x] = s[63 - threadIdx.x];\n");
  EXPECT_THAT(text, HasSubstr("  __syncwarp();\n"));
}

// Refusals

TEST(Aggregate, ABarrierThatNotAllReachIsRefused) {
  EXPECT_THAT(aggregated("  if (threadIdx.x < 40)\n    __syncthreads();\n  a[threadIdx.x] = 1;\n"),
              HasSubstr("'__syncthreads' may not be reached by all threads of the block"));
}

TEST(Aggregate, ARaceIsRefused) {
  EXPECT_THAT(
      aggregated("  __shared__ int s[65];\n  s[threadIdx.x] = n;\n  a[threadIdx.x] = s[threadIdx.x + 1];\n"),
      HasSubstr("two threads of a block touch the same element of 's'"));
}

TEST(Aggregate, ALoopThatWaitsForAnotherThreadIsRefused) {
  EXPECT_THAT(aggregated("  volatile int *flag = a;\n  if (threadIdx.x == 0)\n    while (flag[40] == 0) {}\n"
                         "  a[threadIdx.x] = blockIdx.x;\n"),
              HasSubstr("this loop waits for what another thread does"));
}

TEST(Aggregate, ALoopThatTakesFromAQueueWaitsForNobody) {
  EXPECT_THAT(aggregated("  __syncthreads();\n  int i;\n  while ((i = atomicAdd(a, 1)) < n)\n    a[i + 64] = "
                         "threadIdx.x;\n"),
              HasSubstr("__syncwarp();"));
}

TEST(Aggregate, AWarpThatIsNotWholeCannotSpeak) {
  EXPECT_THAT(
      aggregated("  a[threadIdx.x] = __shfl_down_sync(0xffffffff, b[threadIdx.x], 1);\n  __syncthreads();\n",
                 "48"),
      HasSubstr("the last warp of a block of 48 threads is not whole"));
}

TEST(Aggregate, LanesWhoseThreadHasReturnedCannotBeSpokenTo) {
  EXPECT_THAT(aggregated("  if (b[threadIdx.x] < 0)\n    return;\n  __syncthreads();\n"
                         "  a[threadIdx.x] = __shfl_down_sync(0xffffffff, b[threadIdx.x], 1);\n"),
              HasSubstr("one whose thread has returned goes on with other threads' work"));
}

TEST(Aggregate, WholeWarpsMayReturnBeforeLanesSpeak) {
  const std::string rest = "  a[tid] = __shfl_down_sync(0xffffffff, b[tid], 1);\n";
  EXPECT_THAT(
      aggregated("  unsigned tid = threadIdx.x;\n  __syncthreads();\n  if (tid >= 32)\n    return;\n" + rest),
      HasSubstr("__syncwarp();"));
  EXPECT_THAT(
      aggregated("  unsigned tid = threadIdx.x;\n  __syncthreads();\n  if (tid >= 31)\n    return;\n" + rest),
      HasSubstr("one whose thread has returned goes on"));
}

TEST(Aggregate, AnUnknownBlockWithoutALaunchIsRefused) {
  EXPECT_THAT(optimized("__global__ void k(int *a) { a[threadIdx.x] = 1; __syncthreads(); }\n", firstStage),
              HasSubstr("its block is not known"));
}

TEST(Aggregate, ABlockThatWasAskedForIsHeldAgainstTheLaunch) {
  Options options;
  options.block = {{128, 1, 1}};
  EXPECT_THAT(optimized("__global__ void k(int *a) {\n  __syncthreads();\n  a[threadIdx.x] = 1;\n}\n"
                        "void f(int *a) { k<<<1, 256>>>(a); }\n",
                        firstStage, options),
              HasSubstr("the block of this launch is (256, 1, 1), and the one asked for is (128, 1, 1)"));
}

// The choice

namespace {

std::string choiceFor(const std::string &text) {
  Options options;
  Diagnostics ignored;
  static const std::optional<arch::Arch> hopper = arch::findArch("sm_90", ignored);
  options.arch = &*hopper;
  const Diagnostics messages = messagesOf(text, "consolidate", options);
  for (const Diagnostic &each : messages.all())
    if (each.voice == Voice::Kept || each.voice == Voice::Done)
      return each.text;
  return "";
}

} // namespace

TEST(Aggregate, WithoutBarriersNothingIsGained) {
  std::string text = "__global__ void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
                     "void f(int *a) { k<<<5000, 256>>>(a); }\n";
  EXPECT_THAT(choiceFor(text), HasSubstr("'k' stays as it is: its threads wait for nobody"));
  EXPECT_EQ(optimized(text, "consolidate"), text);
}

TEST(Aggregate, BarriersCloseToEachOtherAreWorthIt) {
  EXPECT_THAT(choiceFor("__global__ void k(int *a, const int *b) {\n  __shared__ int s[256];\n"
                        "  s[threadIdx.x] = b[blockIdx.x * 256 + threadIdx.x];\n  __syncthreads();\n"
                        "  for (int half = 128; half > 0; half /= 2) {\n"
                        "    if (threadIdx.x < half)\n      s[threadIdx.x] += s[threadIdx.x + half];\n"
                        "    __syncthreads();\n  }\n  if (threadIdx.x == 0)\n    a[blockIdx.x] = s[0];\n}\n"
                        "void f(int *a, int *b) { k<<<5000, 256>>>(a, b); }\n"),
              HasSubstr("'k' is worth a warp of its own"));
}

TEST(Aggregate, ASmallGridKeepsItsBlocks) {
  EXPECT_THAT(choiceFor("__global__ void k(int *a) {\n  __syncthreads();\n  a[threadIdx.x] = 1;\n}\n"
                        "void f(int *a) { k<<<20, 256>>>(a); }\n"),
              HasSubstr("20 warps in the place of as many blocks would not fill the device"));
}
