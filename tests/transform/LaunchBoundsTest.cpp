// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/Arch.h"
#include "transform/Optimized.h"

using namespace heddle;
using heddle::testing::messagesOf;
using heddle::testing::optimized;
using ::testing::HasSubstr;

namespace {

const std::string body = "k(float *a) { a[threadIdx.x] = 1.0f; }\n";
const std::string plain = "__global__ void " + body;

std::string launched(const std::string &block) {
  return "void f(float *a, int n) { k<<<4, " + block + ">>>(a); }\n";
}

transform::Options forH200() {
  static Diagnostics diagnostics;
  static const std::optional<arch::Arch> arch = arch::findArch("sm_90", diagnostics);
  transform::Options options;
  options.arch = &*arch;
  return options;
}

std::string messageOf(const std::string &text, const std::string &directive) {
  const Diagnostics all = messagesOf(text, directive, forH200());
  return all.empty() ? "" : all.all().front().text;
}

} // namespace

TEST(LaunchBounds, TheBlockIsThatOfTheLaunch) {
  EXPECT_THAT(optimized(plain + launched("128"), "launch-bounds"),
              HasSubstr("__global__ void __launch_bounds__(128) k(float *a)"));
  EXPECT_THAT(optimized(plain + launched("dim3(16, 16)"), "launch-bounds blocks=2"),
              HasSubstr("__global__ void __launch_bounds__(256, 2) k(float *a)"));
}

TEST(LaunchBounds, OfSeveralLaunchesTheLargestBlockCounts) {
  EXPECT_THAT(optimized(plain + launched("64") + "void g(float *a) { k<<<1, 96>>>(a); }\n", "launch-bounds"),
              HasSubstr("__launch_bounds__(96) k("));
}

TEST(LaunchBounds, InstantiationsShareOneBound) {
  const std::string text = "template <int N> __global__ void k(float *a) { a[threadIdx.x] = N; }\n"
                           "void f(float *a) { k<1><<<1, 32>>>(a); k<2><<<1, 64>>>(a); }\n";
  EXPECT_THAT(optimized(text, "launch-bounds"),
              HasSubstr("__global__ void __launch_bounds__(64) k(float *a)"));
}

TEST(LaunchBounds, ANameInANamespaceKeepsItsQualifier) {
  const std::string text =
      "namespace n { __global__ void k(float *a); }\n__global__ void n::k(float *a) { *a = 1; }\n"
      "void f(float *a) { n::k<<<1, 32>>>(a); }\n";
  EXPECT_THAT(optimized(text, "launch-bounds"),
              HasSubstr("__global__ void __launch_bounds__(32) n::k(float *a) {"));
}

TEST(LaunchBounds, OldBoundsAreReplaced) {
  const std::string bounded = "__global__ void __launch_bounds__(512) " + body + launched("128");
  EXPECT_THAT(optimized(bounded, "launch-bounds"), HasSubstr("__launch_bounds__(128) k("));
  EXPECT_THAT(optimized(bounded, "launch-bounds blocks=3"), HasSubstr("__launch_bounds__(128, 3) k("));
  EXPECT_THAT(optimized("__global__ void __launch_bounds__(512, 1) " + body + launched("128"),
                        "launch-bounds blocks=3"),
              HasSubstr("__launch_bounds__(128, 3) k("));
}

TEST(LaunchBounds, BoundsThatSayTheSameStay) {
  const std::string text = "__global__ void __launch_bounds__(128, 3) " + body + launched("128");
  EXPECT_EQ(optimized(text, "launch-bounds"), text);
  EXPECT_EQ(messageOf(text, "launch-bounds blocks=3"),
            "'k' has these bounds already [launch-bounds blocks=3]");
}

TEST(LaunchBounds, WhatRegistersAreLeftIsSaid) {
  EXPECT_EQ(messageOf(plain + launched("256"), "launch-bounds blocks=4"),
            "'k' is compiled for blocks of up to 256 threads, 4 blocks on a multiprocessor: at most 64 "
            "registers per thread "
            "on sm_90 [launch-bounds blocks=4]");
  EXPECT_THAT(messageOf(plain + launched("32"), "launch-bounds"),
              HasSubstr("at most 255 registers per thread"));
}

TEST(LaunchBounds, ABlockThatIsNotKnownIsRefusedUnlessItIsGiven) {
  EXPECT_EQ(optimized(plain + launched("n"), "launch-bounds"),
            "refused: launch-bounds: how many threads this launch has is known at run time only");
  EXPECT_EQ(optimized(plain, "launch-bounds"),
            "refused: launch-bounds: no launch of the kernel is in the file, so its block is not known");
  EXPECT_THAT(optimized(plain + launched("n"), "launch-bounds threads=256"),
              HasSubstr("__launch_bounds__(256) k("));
  EXPECT_EQ(messageOf(plain + launched("n"), "launch-bounds threads=256"),
            "assumed: this launch has no more than 256 threads per block [launch-bounds threads=256]");
}

TEST(LaunchBounds, ALaunchAboveTheBoundIsRefused) {
  EXPECT_EQ(optimized(plain + launched("512"), "launch-bounds threads=256"),
            "refused: launch-bounds threads=256: this launch has 512 threads per block, and would fail");
}

TEST(LaunchBounds, MoreBlocksThanAMultiprocessorHoldsAreRefused) {
  EXPECT_EQ(optimized(plain + launched("1024"), "launch-bounds blocks=3", forH200()),
            "refused: launch-bounds blocks=3: a multiprocessor of sm_90 holds 64 warps, and 3 such blocks "
            "would be 96");
  const std::string shared =
      "__global__ void k(float *a) { __shared__ float s[10000]; s[threadIdx.x] = 1; a[0] = s[0]; }\n";
  EXPECT_THAT(optimized(shared + launched("64"), "launch-bounds blocks=8", forH200()),
              HasSubstr("and a block of the kernel takes 40000"));
}

TEST(LaunchBounds, AMinimumOfBlocksThatIsThereStaysAndCounts) {
  const std::string text = "__global__ void __launch_bounds__(1024, 2) " + body + launched("512");
  EXPECT_THAT(optimized(text, "launch-bounds", forH200()), HasSubstr("__launch_bounds__(512, 2) k("));
  EXPECT_THAT(messageOf(text, "launch-bounds"), HasSubstr("at most 64 registers per thread"));
}

TEST(LaunchBounds, WithoutALaunchABoundIsNotLowered) {
  transform::Options options;
  options.block = {256, 1, 1};
  const std::string text = "__global__ void __launch_bounds__(288) " + body;
  EXPECT_EQ(optimized(text, "launch-bounds", options), text);
}

TEST(LaunchBounds, LaunchesByPersistentWarpsAreRefused) {
  const std::string text =
      "__global__ void k(float *a) { __shared__ float s[64]; s[threadIdx.x] = a[threadIdx.x];\n"
      "  __syncthreads(); a[threadIdx.x] = s[63 - threadIdx.x]; }\n" +
      launched("64");
  EXPECT_THAT(optimized(text, "consolidate remap=off delegate=on; launch-bounds"),
              HasSubstr("the kernel is launched by persistent warps"));
}

TEST(LaunchBounds, ABoundOfTheUsersIsAnAssumptionAboutOtherFiles) {
  transform::Options options;
  options.compile.cudaPath = "none";
  Diagnostics diagnostics;
  transform::applyDirectives("test.cu", plain + launched("128"),
                             transform::readDirectives("launch-bounds threads=256", diagnostics), options,
                             diagnostics);
  ASSERT_FALSE(diagnostics.empty());
  EXPECT_EQ(diagnostics.all().front().text, "assumed: launches outside this file have no more than 256 "
                                            "threads per block [launch-bounds threads=256]");
}
