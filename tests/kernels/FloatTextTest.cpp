// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/FloatText.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace heddle::kernels {
namespace {

TEST(FloatText, TypesFunctionsAndNumbersBecomeThoseOfFloats) {
  EXPECT_EQ(inFloats("const double x = fma(2.0, y, 1e-3);"), "const float x = fmaf(2.0f, y, 0.001f);");
  EXPECT_EQ(inFloats("double2 r = table[12];"), "float2 r = table[12];");
}

TEST(FloatText, WholeNumbersNamesAndCommentsStay) {
  for (const char *text : {"i < 128", "t12 + v2e", "x = 0x3fe6; // a double, 2.0", "#include \"double.h\"",
                           "printf(\"2.0 doubles\")"})
    EXPECT_EQ(inFloats(text), text);
}

TEST(FloatText, GuardsAgainstZeroStayGuards) {
  EXPECT_EQ(inFloats("fmax(x, 1e-300)"), "fmaxf(x, 1.1754944e-38f)");
  EXPECT_EQ(inFloats("0.0"), "0.0f");
  EXPECT_THROW(inFloats("1e+39"), std::logic_error);
}

} // namespace
} // namespace heddle::kernels
