// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/work/BlockLoops.h"

#include "transform/Optimized.h"

using heddle::testing::optimized;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

/// A kernel that folds what the loop with this head and body reads.
std::string folding(const std::string &head, const std::string &body, const std::string &before = "") {
  return "__global__ void k(float *out, const float *in, int n) {\n"
         "  float sum = 0.0f;\n" +
         before + "  for (" + head + ")\n    " + body +
         "\n"
         "  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n"
         "}\n"
         "void f() { k<<<64, 128>>>(nullptr, nullptr, 99999); }\n";
}

const std::string gridStride =
    "int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x";

void expectLeftAlone(const std::string &text) {
  EXPECT_THAT(optimized(text, "coarsen x=2"), Not(HasSubstr("first")));
}

} // namespace

TEST(BlockLoops, MergedThreadsGoThroughTheirSharesTogether) {
  EXPECT_THAT(optimized(folding(gridStride, "sum += in[i];"), "coarsen x=2"),
              HasSubstr("  for (int first = blockIdx.x * (blockDim.x * 2); first < n; "
                        "first += gridDim.x * (blockDim.x * 2)) {\n"
                        "    #pragma unroll\n"
                        "    for (unsigned kx = 0; kx < 2; ++kx) {\n"
                        "      const unsigned threadX = threadIdx.x + kx * blockDim.x;\n"
                        "      int i = first + threadX;\n"
                        "      if (i < n)\n"
                        "        sum[kx] += in[i];\n"
                        "    }\n"
                        "  }\n"));
}

TEST(BlockLoops, AShareOfTheBlockBeginsAtNothing) {
  std::string text = optimized(folding("unsigned i = threadIdx.x; i <= 999; i += blockDim.x",
                                       "if (i % 2) sum += in[i]; else sum -= in[i];"),
                               "coarsen x=2");
  EXPECT_THAT(text, HasSubstr("for (unsigned first = 0; first <= 999; first += (blockDim.x * 2)) {"));
  EXPECT_THAT(text, HasSubstr("if (i <= 999) {"));
}

TEST(BlockLoops, LoopsThatChangeMemoryOrAreLeftEarlyStayAsTheyAre) {
  expectLeftAlone(folding(gridStride, "{ sum += in[i]; out[i] = sum; }"));
  expectLeftAlone(folding(gridStride, "sum += atomicAdd(out + i, in[i]);"));
  expectLeftAlone(folding(gridStride, "{ if (in[i] < 0.0f) break; sum += in[i]; }"));
  expectLeftAlone(folding(gridStride, "{ if (in[i] < 0.0f) return; sum += in[i]; }"));
  expectLeftAlone(folding(gridStride, "{ sum += in[i]; i += 1; }"));
  expectLeftAlone(folding(gridStride, "{ sum += in[i]; n -= 1; }"));
}

TEST(BlockLoops, LoopsThatThreadsDoNotGoThroughAlikeStayAsTheyAre) {
  expectLeftAlone(folding("int i = threadIdx.x; i < n; i += threadIdx.x + 1", "sum += in[i];"));
  expectLeftAlone(folding("int i = threadIdx.x; i < int(threadIdx.x) + 9; i += blockDim.x", "sum += in[i];"));
  expectLeftAlone(folding("int i = 2 * threadIdx.x; i < n; i += blockDim.x", "sum += in[i];"));
  expectLeftAlone(folding("int i = threadIdx.x; i < n; i += n", "sum += in[i];")); // which may be none
  expectLeftAlone(folding(gridStride, "sum += in[i];", "  if (threadIdx.x < 16)\n  "));
  expectLeftAlone(folding(gridStride, "sum += in[i];", "  if (threadIdx.x == 16) return;\n"));
}

TEST(BlockLoops, AnIndexWiderThanTheSumItBeginsWithWouldNotWrapAsThatDoes) {
  expectLeftAlone(
      folding("size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x",
              "sum += in[i];"));
}
