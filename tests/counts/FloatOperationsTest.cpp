// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts/FloatOperations.h"

#include <gtest/gtest.h>

namespace heddle::counts {
namespace {

using vm::InstructionClass;

TEST(FloatOperations, AFusedMultiplyAddIsTwoOfEachLane) {
  LaunchFacts launch;
  launch.instructions = {{"fma.f32", 10}, {"add.f32", 5}, {"setp.f32", 7}, {"add.s32", 9}, {"call", 2}};
  launch.sums.classes[unsigned(InstructionClass::Float)] = {15, 15 * 32};
  EXPECT_DOUBLE_EQ(floatOperations(launch).single, (10 * 2 + 5) * 32);
  EXPECT_DOUBLE_EQ(floatOperations(launch).all(), (10 * 2 + 5) * 32);
  EXPECT_DOUBLE_EQ(floatOperations(launch).calls, 2);
}

TEST(FloatOperations, LanesThatAreOffDoNothing) {
  LaunchFacts launch;
  launch.instructions = {{"mul.f64", 4}};
  launch.sums.classes[unsigned(InstructionClass::Double)] = {4, 4 * 8};
  EXPECT_DOUBLE_EQ(floatOperations(launch).fp64, 4 * 8);
}

TEST(FloatOperations, PairsOfHalvesCountTwice) {
  LaunchFacts launch;
  launch.instructions = {{"fma.f16x2", 3}, {"mma.m16n8k16.f16", 100}};
  launch.sums.classes[unsigned(InstructionClass::Half)] = {3, 96};
  EXPECT_DOUBLE_EQ(floatOperations(launch).half, 3 * 32 * 4);
  EXPECT_DOUBLE_EQ(floatOperations(launch).all(), 3 * 32 * 4); // nothing of tensor cores
}

} // namespace
} // namespace heddle::counts
