// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/KernelPattern.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(KernelPattern, APlainKernel) {
  const std::string mangled = "_Z5saxpyifPKfPf";
  for (const char *pattern : {"", "saxpy", "saxpy(int, float, float const*, float*)", "_Z5saxpyifPKfPf"})
    EXPECT_TRUE(isMeant(mangled, pattern)) << pattern;
  for (const char *pattern : {"sax", "saxpy(", "axpy", "_Z5saxpy", "int"})
    EXPECT_FALSE(isMeant(mangled, pattern)) << pattern;
}

TEST(KernelPattern, ATemplateInANamespace) {
  const std::string mangled = "_ZN4math4sortIfLi4EEEvPT_i"; // void math::sort<float, 4>(float*, int)
  for (const char *pattern : {"sort", "math::sort", "math::sort<float, 4>", "sort<float, 4>",
                              "void math::sort<float, 4>(float*, int)", "sort<float,4>", "sort< float , 4 >",
                              "void math::sort<float,4>(float *,int)"})
    EXPECT_TRUE(isMeant(mangled, pattern)) << pattern;
  for (const char *pattern :
       {"math", "sort<double, 4>", "void", "mathsort", "voidmath::sort<float, 4>(float*, int)"})
    EXPECT_FALSE(isMeant(mangled, pattern)) << pattern;
}

TEST(KernelPattern, ATemplateArgumentWithANamespace) {
  const std::string mangled = "_Z4fillIN2ns4PairEEvPT_"; // void fill<ns::Pair>(ns::Pair*)
  for (const char *pattern : {"fill", "fill<ns::Pair>"})
    EXPECT_TRUE(isMeant(mangled, pattern)) << pattern;
  EXPECT_FALSE(isMeant(mangled, "Pair>"));
}

TEST(KernelPattern, AnUnnamedNamespaceIsLeftOut) {
  EXPECT_TRUE(isMeant("_ZN12_GLOBAL__N_14stepEPf", "step"));
}

TEST(KernelPattern, AKernelWithCLinkage) {
  EXPECT_TRUE(isMeant("plain", "plain"));
  EXPECT_FALSE(isMeant("plain", "other"));
  EXPECT_TRUE(isMeant("s", "s")); // as a mangled name it would be "short"
}

} // namespace
} // namespace heddle
