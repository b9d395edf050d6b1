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
      optimized(sharedRow + "void f() { k<<<9, 256>>>(nullptr, nullptr); }\n", "auto", onHopper());
  EXPECT_THAT(text, HasSubstr("sum[kx] += s[j] * float(threadX);"));
}

TEST(Auto, OnlyWholeWarpsAreLeft) {
  std::string launched = sharedRow + "void f() { k<<<9, 32>>>(nullptr, nullptr); }\n";
  EXPECT_EQ(optimized(launched, "auto", onHopper()), launched);
}

TEST(Auto, AKernelWithNothingToShareStaysAndTheReportSaysWhy) {
  std::string text = "__global__ void k(float *a, const float *b) { a[threadIdx.x] = b[threadIdx.x]; }\n"
                     "void f() { k<<<9, 256>>>(nullptr, nullptr); }\n";
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
