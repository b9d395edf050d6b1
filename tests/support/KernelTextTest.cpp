// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/KernelText.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

using Names = std::vector<std::string>;

TEST(KernelText, namesFollowTheKernel) {
  EXPECT_EQ(parameterNamesIn("__global__ void k(float *y, const int n = 4) {}", "k", 2), (Names{"y", "n"}));
  EXPECT_EQ(parameterNamesIn(
                "template <class T>\n__global__ static void __launch_bounds__(256, 2)\nk(T *__restrict__ y,"
                " std::pair<int, int> both, float (*table)[4], int last[]) {",
                "k", 4),
            (Names{"y", "both", "table", "last"}));
  EXPECT_EQ(parameterNamesIn("__global__ void k(int, // of x, not of y\n unsigned /* n */ m)", "k", 2),
            (Names{"", "m"}));
}
TEST(KernelText, otherKernelsDoNotMatter) {
  const char *source =
      "__global__ void kk(int a); void k(int b); __global__ void k(int c); /* __global__ void k(int d); */";
  EXPECT_EQ(parameterNamesIn(source, "k", 1), Names{"c"});
  EXPECT_EQ(parameterNamesIn(source, "k", 2), Names{});
  EXPECT_EQ(parameterNamesIn(source, "other", 1), Names{});
}
TEST(KernelText, overloadsWithOtherNamesLeaveThemUnknown) {
  EXPECT_EQ(parameterNamesIn("__global__ void k(int a); __global__ void k(float b);", "k", 1), Names{});
  EXPECT_EQ(parameterNamesIn("__global__ void k(int a); __global__ void k(int a) {}", "k", 1), Names{"a"});
  EXPECT_EQ(parameterNamesIn("__global__ void k(int a); __global__ void k(int a, int b);", "k", 2),
            (Names{"a", "b"}));
}
TEST(KernelText, withoutACountAnyNumberOfParametersWillDo) {
  EXPECT_EQ(parameterNamesIn("__global__ void k(int a, float *b) {}", "k", std::nullopt), (Names{"a", "b"}));
  EXPECT_EQ(parameterNamesIn("__global__ void k(int a); __global__ void k(int a, int b);", "k", std::nullopt),
            Names{});
}
TEST(KernelText, aMacroMayContainTheMark) {
  const char *source = "#define KERNEL __global__ void __launch_bounds__(256)\n"
                       "void launch(float *a) { if (k(1)) { k<<<1, 2>>>(a, 2); } k(a, 1); }\n"
                       "KERNEL kk(int x, int y) {}\nKERNEL k(float *out, int n)\n{}";
  EXPECT_EQ(parameterNamesIn(source, "k", 2), (Names{"out", "n"}));
  EXPECT_EQ(parameterNamesIn("KERNEL k(int a) {} KERNEL k(float b) {}", "k", 1), Names{});
  EXPECT_EQ(parameterNamesIn("__global__ void k(int a); void k(float b) {}", "k", 1), Names{"a"});
}
TEST(KernelText, commentsAndStringsAreLeftOut) {
  EXPECT_EQ(withoutComments("a // b\nc /* d */ e"), "a     \nc         e");
  EXPECT_EQ(withoutComments("f(\"k<<<\\\"\")"), "f(        )");
}

} // namespace
} // namespace heddle::test
