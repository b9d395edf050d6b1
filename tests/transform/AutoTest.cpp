// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transform/Auto.h"

#include "arch/Arch.h"
#include "transform/Optimized.h"

using namespace heddle;
using heddle::testing::messagesOf;
using heddle::testing::optimized;
using ::testing::HasSubstr;

namespace {

transform::Options onHopper() {
  static Diagnostics diagnostics;
  static const std::optional<arch::Arch> hopper = arch::findArch("sm_90", diagnostics);
  transform::Options options;
  options.arch = &*hopper;
  return options;
}

const std::string sharedRow = "__global__ void k(float *a, const float *b) {\n"
                              "  __shared__ float s[256];\n"
                              "  s[threadIdx.x] = b[threadIdx.x];\n"
                              "  __syncthreads();\n"
                              "  float sum = 0.0f;\n"
                              "  for (int j = 0; j < 256; ++j)\n"
                              "    sum += s[j] * float(threadIdx.x);\n"
                              "  a[threadIdx.x] = sum;\n"
                              "}\n";

} // namespace

TEST(Auto, AKernelWhoseThreadsReadTheSameElementsIsCoarsened) {
  std::string text =
      optimized(sharedRow + "void f() { k<<<4096, 256>>>(nullptr, nullptr); }\n", "auto", onHopper());
  EXPECT_THAT(text, HasSubstr("sum[kx] += s[j] * float(threadX);"));
}

TEST(Auto, OnlyWholeWarpsAreLeft) {
  std::string launched = sharedRow + "void f() { k<<<4096, 32>>>(nullptr, nullptr); }\n";
  EXPECT_EQ(optimized(launched, "auto", onHopper()), launched);
}

TEST(Auto, AKernelWithNothingToShareStaysAndTheReportSaysWhy) {
  std::string text =
      "__global__ void k(float *a, const float *b) {\n"
      "  for (int j = 0; j < 64; ++j)\n"
      "    a[(blockIdx.x * 64 + j) * 256 + threadIdx.x] = b[(blockIdx.x * 64 + j) * 256 + threadIdx.x];\n"
      "}\n"
      "void f() { k<<<4096, 256>>>(nullptr, nullptr); }\n";
  EXPECT_EQ(optimized(text, "auto", onHopper()), text);
  Diagnostics messages = messagesOf(text, "auto", onHopper());
  ASSERT_EQ(messages.all().size(), 1u);
  EXPECT_EQ(messages.all()[0].voice, Voice::Kept);
  EXPECT_THAT(messages.all()[0].text, HasSubstr("would share 0 % of the loads"));
}

TEST(Auto, ABlockThatIsNotKnownIsAskedFor) {
  Diagnostics messages = messagesOf(sharedRow, "auto", onHopper());
  ASSERT_EQ(messages.all().size(), 1u);
  EXPECT_THAT(messages.all()[0].text, HasSubstr("its block is not known"));
  transform::Options options = onHopper();
  options.block = {256, 1, 1};
  EXPECT_THAT(optimized(sharedRow, "auto", options), HasSubstr("sum[kx] +="));
}

TEST(Auto, ASmallGridKeepsItsThreads) {
  std::string text = sharedRow + "void f() { k<<<9, 256>>>(nullptr, nullptr); }\n";
  EXPECT_EQ(optimized(text, "auto", onHopper()), text);
  EXPECT_THAT(messagesOf(text, "auto", onHopper()).all().at(0).text, HasSubstr("warps in the whole grid"));
}

TEST(Auto, TheReportSaysWhatItRestsOn) {
  std::string text = sharedRow + "void f() { k<<<4096, 256>>>(nullptr, nullptr); }\n";
  std::string said = messagesOf(text, "auto", onHopper()).all().at(0).text;
  EXPECT_THAT(said, HasSubstr("% of the loads"));
  EXPECT_THAT(said, HasSubstr("(estimated)")); // no ptxas in these tests
  EXPECT_THAT(said, HasSubstr("occupancy on sm_90 100 %"));
  EXPECT_THAT(said, HasSubstr("the launch's 4096 blocks fill"));
}

TEST(Auto, BothAxesAreTakenWhereBothShare) {
  std::string said =
      messagesOf("__global__ void product(float *c, const float *a, const float *b, int n) {\n"
                 "  __shared__ float ta[32][32], tb[32][32];\n"
                 "  int x = threadIdx.x, y = threadIdx.y;\n"
                 "  float sum = 0.0f;\n"
                 "  for (int t = 0; t < n; ++t) {\n"
                 "    ta[y][x] = a[(t * 32 + y) * 32 + x];\n"
                 "    tb[y][x] = b[(t * 32 + y) * 32 + x];\n"
                 "    __syncthreads();\n"
                 "    for (int k = 0; k < 32; ++k)\n"
                 "      sum += ta[y][k] * tb[k][x];\n"
                 "    __syncthreads();\n"
                 "  }\n"
                 "  c[y * 32 + x] = sum;\n"
                 "}\n"
                 "void f() { product<<<4096, dim3(32, 32)>>>(nullptr, nullptr, nullptr, 9); }\n",
                 "auto", onHopper())
          .all()
          .at(0)
          .text;
  EXPECT_THAT(said, HasSubstr("y="));
}

TEST(Auto, ALoopThatEachItemRunsByItselfSharesNothing) {
  std::string text = "__global__ void k(float *a, const float *b, int n) {\n"
                     "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "  float sum = 0.0f;\n"
                     "  for (int j = 0; j < i; ++j)\n"
                     "    sum += b[j];\n"
                     "  a[i] = sum;\n"
                     "}\n"
                     "void f() { k<<<4096, 256>>>(nullptr, nullptr, 9); }\n";
  EXPECT_EQ(optimized(text, "auto", onHopper()), text);
}

TEST(Auto, BlocksOfOneWarpAreMergedWhereTheyDoTheSame) {
  std::string text = "__global__ void k(float *__restrict__ a, const float *__restrict__ table) {\n"
                     "  float sum = 0.0f;\n"
                     "  for (int j = 0; j < 64; ++j)\n"
                     "    sum += table[j];\n"
                     "  a[blockIdx.x * 32 + threadIdx.x] = sum;\n"
                     "}\n"
                     "void f() { k<<<65536, 32>>>(nullptr, nullptr); }\n";
  EXPECT_THAT(optimized(text, "auto", onHopper()), HasSubstr("k<<<65536 / "));
}

TEST(Auto, letsThreadsThatReadOnceWaitTogether) {
  const std::string text = "__global__ void k(float *out, const float *in) {\n"
                           "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  out[i] = 2 * in[i];\n}\n"
                           "void f() { k<<<65536, 256>>>(nullptr, nullptr); }\n";
  EXPECT_THAT(optimized(text, "auto", onHopper()), HasSubstr("k<<<65536, 256 / 4>>>"));
}

TEST(Auto, mergesAlongYWhereABlockHasRows) {
  const std::string text = "__global__ void k(float *out, const float *in, int pitch) {\n"
                           "  int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
                           "  int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
                           "  out[y * pitch + x] = in[y * pitch + x];\n}\n"
                           "void f() { k<<<dim3(256, 256), dim3(16, 16)>>>(nullptr, nullptr, 4096); }\n";
  EXPECT_THAT(optimized(text, "auto", onHopper()), HasSubstr("dim3(16, 16 / 4)"));
}

TEST(Auto, takesNeighboursWhereWindowsOverlap) {
  const std::string text = "__global__ void k(float *out, const float *in) {\n"
                           "  __shared__ float piece[272];\n"
                           "  for (int j = threadIdx.x; j < 272; j += 256)\n"
                           "    piece[j] = in[blockIdx.x * 256 + j];\n"
                           "  __syncthreads();\n"
                           "  float sum = 0;\n"
                           "  for (int t = 0; t < 17; ++t)\n"
                           "    sum += piece[threadIdx.x + t];\n"
                           "  out[blockIdx.x * 256 + threadIdx.x] = sum;\n}\n"
                           "void f() { k<<<65536, 256>>>(nullptr, nullptr); }\n";
  Diagnostics messages = messagesOf(text, "auto", onHopper());
  ASSERT_FALSE(messages.empty());
  EXPECT_THAT(messages.all().front().text, HasSubstr("coarsen x=4 map=blocked, because neighbours read"));
}

TEST(Auto, ThreadsThatStreamThroughMemoryAreMerged) {
  std::string text =
      "__global__ void k(float *out, const float *in, int n) {\n"
      "  float sum = 0.0f;\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"
      "    sum += in[i];\n"
      "  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;\n"
      "}\n"
      "void f(int n) { k<<<n, 256>>>(nullptr, nullptr, n); }\n";
  EXPECT_THAT(messagesOf(text, "auto", onHopper()).all().at(0).text,
              HasSubstr("coarsen x=4, because threads stream through memory"));
  // A thread that counts as it goes would be held up by the counting, not by memory.
  std::string counted = text;
  counted.replace(counted.find("sum += in[i]"), 12, "atomicAdd(out, in[i])");
  EXPECT_THAT(messagesOf(counted, "auto", onHopper()).all().at(0).text, HasSubstr("stays as it is"));
}
