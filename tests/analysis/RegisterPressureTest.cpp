// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/RegisterPressure.h"

#include "KernelText.h"
#include "analysis/TrueRegisters.h"
#include "support/Paths.h"

#include <gmock/gmock.h>

#include <fstream>

using namespace heddle::analysis;

namespace {

RegisterEstimate estimate(const std::string &text, LaunchFacts launch = {}) {
  KernelText k(text, launch);
  return estimateRegisters(k.kernel(), *k.accesses);
}

unsigned aliveIn(const std::string &body) {
  return estimate("__global__ void k(float *a, const float *b, int n) {\n" + body + "\n}").byLiveRange;
}

TEST(RegisterPressure, MoreValuesAliveTogetherNeedMore) {
  unsigned two = aliveIn("float x = b[0], y = b[1]; a[0] = x + y;");
  unsigned four = aliveIn("float x = b[0], y = b[1], z = b[2], w = b[3]; a[0] = x + y + z + w;");
  EXPECT_EQ(four, two + 2);
}

TEST(RegisterPressure, ValuesUsedUpInTurnNeedNoMore) {
  unsigned once = aliveIn("float x = b[0]; a[0] = x;");
  unsigned thrice = aliveIn("float x = b[0]; a[0] = x; float y = b[1]; a[1] = y; float z = b[2]; a[2] = z;");
  EXPECT_EQ(thrice, once);
}

TEST(RegisterPressure, SixtyFourBitValuesCountTwice) {
  unsigned floats = aliveIn("float x = b[0], y = b[1], z = b[2]; a[0] = x * y * z;");
  unsigned doubles = aliveIn("double x = b[0], y = b[1], z = b[2]; a[0] = x * y * z;");
  EXPECT_GE(doubles, floats + 3);
}

TEST(RegisterPressure, AValueCarriedAroundALoopIsAliveInAllOfIt) {
  unsigned without = aliveIn("for (int i = 0; i < n; ++i) a[i] = b[i];");
  unsigned with =
      aliveIn("float sum = 0; for (int i = 0; i < n; ++i) { a[i] = b[i]; sum += 1; } a[0] = sum;");
  EXPECT_EQ(with, without + 1);
}

TEST(RegisterPressure, ABalancedExpressionNeedsTheLogarithmOfItsSize) {
  unsigned chain = aliveIn("a[0] = b[0] + b[1] + b[2] + b[3] + b[4] + b[5] + b[6] + b[7];");
  unsigned tree = aliveIn("a[0] = ((b[0] + b[1]) + (b[2] + b[3])) + ((b[4] + b[5]) + (b[6] + b[7]));");
  EXPECT_EQ(tree, chain + 2);
}

TEST(RegisterPressure, AnArrayIndexedByConstantsIsHeldInRegisters) {
  RegisterEstimate held =
      estimate("__global__ void k(float *a) { float x[8]; for (int i = 0; i < 8; ++i) x[i] = a[i];"
               "for (int i = 0; i < 8; ++i) a[i] = x[7 - i]; }");
  RegisterEstimate indexed =
      estimate("__global__ void k(float *a, int n) { float x[8]; for (int i = 0; i < 8; ++i) x[i] = a[i];"
               "a[0] = x[n]; }");
  EXPECT_GE(held.byLiveRange, 8u);
  EXPECT_TRUE(held.inLocalMemory.empty());
  EXPECT_LT(indexed.byLiveRange, 8u);
  EXPECT_THAT(indexed.inLocalMemory, ::testing::ElementsAre("x"));
}

TEST(RegisterPressure, ACalledFunctionNeedsItsOwnOnTop) {
  std::string inner = "__device__ float f(const float *p) { float x = p[0], y = p[1], z = p[2], w = p[3];"
                      "return x * y + z * w + x * w; }\n";
  unsigned plain = estimate(inner + "__global__ void k(float *a) { a[0] = f(a); }").byLiveRange;
  unsigned around =
      estimate(inner +
               "__global__ void k(float *a) { float u = a[4], v = a[5]; float r = f(a); a[0] = r + u + v; }")
          .byLiveRange;
  EXPECT_EQ(around, plain + 2);
}

TEST(RegisterPressure, SaysWhereAndWhatIsAlive) {
  RegisterEstimate e = estimate("__global__ void k(float *a) {\n float x = a[0];\n float y = a[1];\n"
                                " a[2] = x * y + x;\n}");
  EXPECT_THAT(e.alive, ::testing::UnorderedElementsAre("x", "y"));
  EXPECT_EQ(e.location.line, 4u);
}

TEST(RegisterPressure, CrestCountsCopiesOnce) {
  unsigned copied =
      estimate("__global__ void k(float *a, int n) { int i = n * 2; int j = i; a[j] = 0; a[i] = 1; }")
          .byScope;
  unsigned computed =
      estimate("__global__ void k(float *a, int n) { int i = n * 2; int j = i + 1; a[j] = 0; a[i] = 1; }")
          .byScope;
  EXPECT_EQ(computed, copied + 1);
}

TEST(RegisterPressure, CrestGivesAReusedReferenceOneRegister) {
  unsigned once = estimate("__global__ void k(float *a, const float *b) { a[0] = b[threadIdx.x]; }").byScope;
  unsigned thrice =
      estimate("__global__ void k(float *a, const float *b) { a[0] = b[threadIdx.x] * b[threadIdx.x] + "
               "b[threadIdx.x]; }")
          .byScope;
  EXPECT_EQ(thrice, once + 1);
}

TEST(TrueRegisters, ReadsWhatPtxasPrints) {
  auto kernels =
      parsePtxasOutput("ptxas info    : 0 bytes gmem\n"
                       "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
                       "ptxas info    : Function properties for _Z1kPf\n"
                       "    48 bytes stack frame, 40 bytes spill stores, 24 bytes spill loads\n"
                       "ptxas info    : Used 32 registers, used 1 barriers, 48 bytes cumulative stack size,"
                       " 1024 bytes smem, 360 bytes cmem[0], 8 bytes cmem[2]\n"
                       "ptxas info    : Compiling entry function '_Z1gv' for 'sm_90'\n"
                       "ptxas info    : Function properties for _Z1gv\n"
                       "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                       "ptxas info    : Used 4 registers, used 0 barriers\n");
  ASSERT_EQ(kernels.size(), 2u);
  const KernelResources &k = kernels["_Z1kPf"];
  EXPECT_EQ(k.registers, 32u);
  EXPECT_EQ(k.barriers, 1u);
  EXPECT_EQ(k.stackBytes, 48u);
  EXPECT_EQ(k.spillStoreBytes, 40u);
  EXPECT_EQ(k.spillLoadBytes, 24u);
  EXPECT_EQ(k.staticSharedBytes, 1024u);
  EXPECT_EQ(k.constantBytes, 368u);
  EXPECT_FALSE(kernels["_Z1gv"].spills());
  EXPECT_EQ(kernels["_Z1gv"].registers, 4u);
}

TEST(TrueRegisters, SaysSoWithoutAToolkit) {
  heddle::source::CompileOptions options;
  options.cudaPath = "none";
  EXPECT_EQ(trueRegisters("any.cu", options).whyNot, "no CUDA toolkit, so no ptxas");
}

TEST(TrueRegisters, CompilesAndAssemblesARealKernel) {
  heddle::source::CompileOptions options;
  auto toolkit = heddle::source::findToolkit();
  if (!toolkit || !std::filesystem::exists(toolkit->root / "bin" / "ptxas"))
    GTEST_SKIP() << "no CUDA toolkit";
  heddle::TemporaryFolder folder;
  std::ofstream(folder.path() / "k.cu")
      << "__global__ void k(float *a) { __shared__ float s[64]; s[threadIdx.x] = "
         "expf(a[threadIdx.x]); __syncthreads(); a[threadIdx.x] = s[0]; }\n";
  TrueRegisters found = trueRegisters(folder.path() / "k.cu", options);
  ASSERT_EQ(found.whyNot, "");
  ASSERT_EQ(found.kernels.size(), 1u);
  EXPECT_GT(found.kernels["_Z1kPf"].registers, 3u);
  EXPECT_EQ(found.kernels["_Z1kPf"].barriers, 1u);
}

} // namespace
