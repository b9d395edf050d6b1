// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Profitability.h"

#include "model/Thresholds.h"
#include "support/Diagnostics.h"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

const arch::Arch &h200() {
  static const arch::Arch table = [] {
    Diagnostics diagnostics;
    return arch::findArch("sm_90", diagnostics).value();
  }();
  return table;
}

TEST(Profitability, AGridMustHaveWarpsForEveryMultiprocessor) {
  const double enough = threshold::grid::leastWarpsPerSm * h200().deviceSms;
  EXPECT_TRUE(fillsDevice(enough, h200()));
  EXPECT_FALSE(fillsDevice(enough - 1, h200()));
}

TEST(Profitability, LowOccupancyIsKeptWhereThereWasLittleBefore) {
  EXPECT_TRUE(keepsOccupancy(100, 25));
  EXPECT_FALSE(keepsOccupancy(100, 24));
  EXPECT_TRUE(keepsOccupancy(30, 15));
  EXPECT_FALSE(keepsOccupancy(30, 14));
}

TEST(Profitability, EachMergedItemTakesRegisters) {
  EXPECT_EQ(registersOfMerged(20, 1, 5), 20u);
  EXPECT_EQ(registersOfMerged(20, 4, 5), 20 + 3 * (5 + threshold::coarsen::registersPerItem));
  EXPECT_TRUE(mayTakeRegisters(191, h200()));
  EXPECT_FALSE(mayTakeRegisters(192, h200()));
}

TEST(Profitability, ConsolidationKeepsAFloorOfWarpsAndAShare) {
  EXPECT_TRUE(keepsWarps(64, 26));
  EXPECT_FALSE(keepsWarps(64, 25));
  EXPECT_FALSE(keepsWarps(16, 15)) << "the floor holds whatever there was";
}

TEST(Profitability, PersistentWarpsShareStaticSharedMemory) {
  EXPECT_EQ(persistentWarpsPerBlock(0, 0), 4u);
  EXPECT_EQ(persistentWarpsPerBlock(20 * 1024, 0), 2u);
  EXPECT_EQ(persistentWarpsPerBlock(40 * 1024, 0), 1u);
  EXPECT_EQ(persistentWarpsPerBlock(0, 3), 3u);
}

TEST(Profitability, PersistentWarpsNeedTasksAndAReason) {
  TaskWork work;
  work.workOfLane = 10000, work.residentAlone = 32, work.residentTogether = 64;
  EXPECT_EQ(persistence(work, &h200()), Persistence::MoreResidentWarps);
  work.tasks = 132 * 64 * 4 - 1;
  EXPECT_EQ(persistence(work, &h200()), Persistence::TooFewTasks);
  work.tasks = 132 * 64 * 4;
  EXPECT_EQ(persistence(work, &h200()), Persistence::MoreResidentWarps);
  work.residentTogether = 40;
  EXPECT_EQ(persistence(work, &h200()), Persistence::LargeTasks);
  EXPECT_FALSE(pays(persistence(work, &h200())));
  work.workOfLane = 100;
  EXPECT_TRUE(pays(persistence(work, &h200())));
  EXPECT_EQ(persistence(work, nullptr), Persistence::SmallTasks);
}

TEST(Profitability, RolesPayWhereLoadsAreLongAndReuseIsModerate) {
  EXPECT_EQ(rolesPay({1, 1, 4}, false), Roles::FewLoads);
  EXPECT_EQ(rolesPay({2, 2, 0}, false), Roles::UnknownReuse);
  EXPECT_EQ(rolesPay({2, 2, 32}, false), Roles::ComputeBound) << "few loads, much reuse";
  EXPECT_EQ(rolesPay({8, 8, 256}, false), Roles::Pay) << "the same reuse behind a long load";
  EXPECT_EQ(rolesPay({8, 8, 512}, false), Roles::ComputeBound);
  EXPECT_EQ(rolesPay({4, 9, 8}, false), Roles::LongLoads);
  EXPECT_EQ(rolesPay({4, 9, 8}, true), Roles::Pay) << "a bulk copy takes one lane";
}

TEST(Profitability, RegistersThatProducersGiveUpGoToConsumers) {
  EXPECT_EQ(registersAtFirst(384, h200()), 168);
  const RegisterSplit split = splitRegisters(128, 256, h200());
  EXPECT_EQ(split.producers, 40u);
  EXPECT_EQ(split.consumers, 232u);
  EXPECT_LE(128 * split.producers + 256 * split.consumers, h200().registersPerSm);
  EXPECT_EQ(splitRegisters(128, 128, h200()).consumers, threshold::specialize::mostConsumerRegisters);
}

} // namespace
} // namespace heddle::model
