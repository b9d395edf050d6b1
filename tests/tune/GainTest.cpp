// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Gain.h"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::tune;
using runner::Status;

namespace {

runner::Result result(double q1, double median, double q3) {
  runner::Result made;
  made.status = Status::Measured;
  made.q1 = q1, made.micros = median, made.q3 = q3;
  return made;
}

TEST(Gain, MustBeLargerThanTheSpreadOfEither) {
  const runner::Result quiet = result(100, 100, 100), noisy = result(98, 100, 102);
  EXPECT_TRUE(beats(result(99, 99, 99), quiet));
  EXPECT_FALSE(beats(result(99, 99, 99), noisy));
  EXPECT_FALSE(beats(result(97, 99, 101), quiet));
  EXPECT_TRUE(beats(result(95, 95.5, 96), noisy));
  EXPECT_FALSE(beats(quiet, result(99, 99, 99))) << "slower";
}

TEST(Gain, OfAModelNeedsATenthOfAPercent) {
  EXPECT_FALSE(beats(result(99.95, 99.95, 99.95), result(100, 100, 100)));
  EXPECT_TRUE(beats(result(99.85, 99.85, 99.85), result(100, 100, 100)));
}

TEST(Gain, IsNoneOfWhatWasNotMeasured) {
  runner::Result wrong = result(1, 1, 1);
  wrong.status = Status::Wrong;
  EXPECT_FALSE(beats(wrong, result(100, 100, 100)));
  EXPECT_FALSE(beats(result(1, 1, 1), wrong));
}

} // namespace
