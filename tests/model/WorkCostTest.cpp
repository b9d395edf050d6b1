// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/WorkCost.h"

#include "model/Thresholds.h"
#include "support/Diagnostics.h"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

arch::Arch archOf(const char *name) {
  Diagnostics diagnostics;
  return arch::findArch(name, diagnostics).value();
}

TEST(WorkCost, ThroughputsAreThoseOfTheTable) {
  arch::Arch arch = archOf("sm_90");
  EXPECT_EQ(workCosts(arch).sharedAccess, 4) << "128 lanes of additions, 32 of shared memory";
  EXPECT_EQ(workCosts(arch).specialFunction, 8);
  EXPECT_EQ(workCosts(arch).division, 8);
  arch.latencies->perCycle["ld.shared"] = 16;
  EXPECT_EQ(workCosts(arch).sharedAccess, 8);
  EXPECT_EQ(workCosts(arch).broadcastGlobal, 4) << "L1 is as fast as before";
}

TEST(WorkCost, ATableWithoutThroughputsTakesTheUsualOnes) {
  const WorkCosts costs = workCosts(archOf("sm_80"));
  EXPECT_EQ(costs.sharedAccess, 4);
  EXPECT_EQ(costs.specialFunction, 8);
}

TEST(WorkCost, AccessesCostMoreTheFartherTheyGo) {
  const WorkCosts costs = workCosts(archOf("sm_90"));
  EXPECT_LT(costs.consecutiveShared, costs.sharedAccess);
  EXPECT_LT(costs.sharedAccess, costs.globalAccess);
  EXPECT_LT(costs.broadcastGlobal, costs.globalAccess);
}

TEST(WorkCost, AKernelWithoutWorkGainsNothing) {
  EXPECT_EQ(gain(Work(), Work()), 1);
  Work before, after;
  before.arithmetic = 8, after.arithmetic = 4;
  EXPECT_EQ(gain(before, after), 2);
}

} // namespace
} // namespace heddle::model
