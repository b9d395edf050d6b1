// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/AutoSpace.h"

#include <gmock/gmock.h>

namespace heddle::tune {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

Problem problemOf(const std::string &text) {
  Problem problem;
  problem.file = "shift.cu";
  problem.text = text;
  problem.compiler = build::Compiler::Clang;
  problem.compile.cudaPath = "none";
  return problem;
}

const std::string shift = R"(
#define THREADS 128
__global__ void shift(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += 1;
}
int main() {
  float *a;
  cudaMalloc(&a, 4096 * sizeof(float));
  shift<<<4096 / THREADS, THREADS>>>(a, 4096);
  return cudaFree(a);
}
)";

TEST(AutoSpace, OffersWhatApplies) {
  const AutoSpace space = autoSpace(problemOf(shift));
  EXPECT_TRUE(space.compiles && space.hasKernel);
  EXPECT_THAT(space.directives, Contains(HasSubstr("coarsen x=")));
  EXPECT_THAT(space.directives, Contains(HasSubstr("block x=")));
  EXPECT_THAT(space.refused, Contains(HasSubstr("specialize")));
}

TEST(AutoSpace, OfAFileWithNothingToTuneIsEmpty) {
  EXPECT_FALSE(autoSpace(problemOf("int main() { return }")).compiles);
  EXPECT_FALSE(autoSpace(problemOf("int main() {}")).hasKernel);
}

TEST(EarlySpaces, AreTheSameAsLaterOnes) {
  const Problem problem = problemOf(shift);
  EarlySpaces early(problem);
  const AutoSpace later = autoSpace(problem);
  const std::optional<AutoSpace> space = early.of("shift");
  ASSERT_TRUE(space);
  EXPECT_EQ(space->directives, later.directives);
  EXPECT_EQ(space->flags, later.flags);
  EXPECT_EQ(space->refused, later.refused);
  EXPECT_EQ(space->whyNoBlock, later.whyNoBlock);
  EXPECT_FALSE(early.of("other"));
}

TEST(EarlySpaces, AreNoneWhereTheFileDoesNotCompile) {
  EXPECT_FALSE(EarlySpaces(problemOf("int main() { return }")).of("shift"));
}

} // namespace
} // namespace heddle::tune
