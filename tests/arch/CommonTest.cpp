// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arch/Common.h"

#include "support/Diagnostics.h"

#include <gtest/gtest.h>

namespace heddle::arch {
namespace {

TEST(Common, NoGenerationExceedsTheLimitsOfBlocksAndAllGrantTheSharedMemory) {
  Diagnostics diagnostics;
  const std::vector<Arch> all = loadArchs(diagnostics);
  ASSERT_FALSE(all.empty());
  for (const Arch &arch : all) {
    EXPECT_LE(arch.maxThreadsPerBlock, commonLimits().maxThreadsPerBlock) << arch.name;
    for (size_t axis = 0; axis < 3; ++axis)
      EXPECT_LE(arch.maxBlockDim[axis], commonLimits().maxBlockDim[axis]) << arch.name;
    EXPECT_GE(arch.maxSharedBytesPerBlock, commonLimits().staticSharedBytes) << arch.name;
  }
}

TEST(Common, LimitsAreThoseOfTheProgrammingGuide) {
  EXPECT_EQ(commonLimits().maxThreadsPerBlock, 1024u);
  EXPECT_EQ(commonLimits().maxBlockDim, (std::array<unsigned, 3>{1024, 1024, 64}));
  EXPECT_EQ(commonLimits().staticSharedBytes, 48u * 1024);
}

TEST(Common, WithoutANameHopperIsMeant) { EXPECT_EQ(defaultArch().name, "sm_90"); }

} // namespace
} // namespace heddle::arch
