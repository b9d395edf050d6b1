// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/Uses.h"

#include "KernelText.h"

#include <gmock/gmock.h>

namespace heddle::analysis {
namespace {

std::vector<std::string> called(const KernelText &text) {
  std::vector<std::string> names;
  for (const clang::FunctionDecl *function :
       calledFunctions(*text.unit, Uses::of(text.kernel().function->getBody())))
    names.push_back(function->getNameAsString());
  return names;
}

TEST(CalledFunctions, LeaveOutLambdasOfDeviceCode) {
  KernelText text("__device__ int twice(int x) { return 2 * x; }\n"
                  "__global__ void k(int *a) {"
                  "  auto f = [&](int i) { auto g = [=](int j) { return twice(i + j); }; return g(1); };"
                  "  a[0] = f(2); }");
  EXPECT_THAT(called(text), ::testing::ElementsAre("twice"));
}

TEST(CalledFunctions, HoldLambdasThatNoDeviceFunctionCreates) {
  KernelText text(
      "constexpr auto index = [] __attribute__((device)) (int i) { return i + int(threadIdx.x); };\n"
      "__global__ void k(int *a) { a[index(0)] = 1; }");
  EXPECT_THAT(called(text), ::testing::ElementsAre("operator()"));
}

TEST(CalledFunctions, HoldLambdasThatHostCodePassesToTheKernel) {
  KernelText text("template <class F> __global__ void k(int *a, F f) { a[f(0)] = 1; }\n"
                  "void run(int *a) {"
                  "  auto f = [=] __attribute__((device)) (int i) { return i + int(blockIdx.x); };"
                  "  (void)&k<decltype(f)>; }");
  EXPECT_THAT(called(text), ::testing::ElementsAre("operator()"));
}

} // namespace
} // namespace heddle::analysis
