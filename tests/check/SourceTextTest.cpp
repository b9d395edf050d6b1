// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/SourceText.h"

#include <gtest/gtest.h>

namespace heddle::check::test {
namespace {

TEST(SourceText, constIsWhatTheDeclarationSays) {
  EXPECT_TRUE(isDeclaredConst("__device__ const int t[4] = {1};", "t"));
  EXPECT_TRUE(isDeclaredConst("static const __device__ float t[4] = {1};", "t"));
  EXPECT_TRUE(isDeclaredConst("__constant__ constexpr int t = 3;", "t"));
  EXPECT_TRUE(isDeclaredConst("__device__ const int *const t = nullptr;", "t"));
  EXPECT_FALSE(isDeclaredConst("__device__ const int *t = nullptr;", "t"));
  EXPECT_FALSE(isDeclaredConst("__device__ int t[4] = {1};", "t"));
  EXPECT_FALSE(isDeclaredConst("const int t[4] = {1};", "t"));
  EXPECT_FALSE(isDeclaredConst("__device__ const int tt[4] = {1};", "t"));
  // Two of one name, and one of them is not.
  EXPECT_FALSE(isDeclaredConst(
      "namespace a { __device__ const int t = 1; } namespace b { __device__ int t = 2; }", "t"));
}
TEST(SourceText, launchesAreFoundByTheKernelsName) {
  EXPECT_TRUE(launchesOf("void f() { k<<<1, 2>>>(p); }", "k").plain);
  EXPECT_TRUE(launchesOf("void f() { k<int, A<3>> <<<1, 2>>>(p); }", "k").plain);
  EXPECT_FALSE(launchesOf("void f() { kk<<<1, 2>>>(k); }", "k").plain);
  EXPECT_TRUE(
      launchesOf("void f() { cudaLaunchCooperativeKernel((void *)k, 1, 2, args); }", "k").cooperative);
  EXPECT_FALSE(launchesOf("void f() { cudaLaunchKernel((void *)k, 1, 2, args); }", "k").cooperative);
}

} // namespace
} // namespace heddle::check::test
