// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/SharedSpills.h"

#include "flow/Builder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::kernels {
namespace {

using flow::Expr;

/// Values `early` that the last reaction reads again, and a sum that every reaction adds to; each reaction has a power.
flow::Program programWith(unsigned early, unsigned reactions) {
  flow::Builder b;
  const unsigned sum = b.addSum("w");
  const unsigned temperature = b.addField("temperature", 1);
  b.begin("the point");
  const Expr t = b.named("T", b.load(temperature, 0));
  const Expr logarithm = b.named("lT", log2(t)), inverse = b.named("rT", reciprocal(t));
  b.begin("values");
  std::vector<Expr> values;
  for (unsigned i = 0; i < early; ++i)
    values.push_back(b.named("e" + std::to_string(i), t * t + double(i)));
  for (unsigned i = 0; i < reactions; ++i) {
    b.begin("reaction " + std::to_string(i));
    Expr rate = exp2(fma(Expr(double(i)), logarithm, inverse));
    for (const Expr &value : values)
      rate = i == 0 || i + 1 == reactions ? rate * value : rate;
    b.add(sum, 1, rate);
  }
  return b.finish();
}

struct Planned {
  flow::Program program;
  SegmentPlan plan;
  SharedSpills spilled;
};

Planned planned(unsigned early, SpillLimits limits) {
  Planned all;
  all.program = programWith(early, 40);
  flow::Segment segment;
  for (unsigned i = 0; i < all.program.operations.size(); ++i)
    (all.program.operations[i].isPure() ? segment.pure : segment.operations).push_back(i);
  const TemperaturePowers powers = findPowers(all.program, 16);
  all.plan = planSegment(all.program, segment, powers);
  PowerLoops loops;
  loops.atATime = 16;
  const LoopPlan plan = planLoops(all.program, powers, all.plan.wanted, all.plan.sequence(), loops);
  std::vector<bool> inside(all.program.definedBy.size());
  for (unsigned value = 0; value < inside.size(); ++value)
    inside[value] = all.program.valueNames[value] == "v" + std::to_string(value);
  all.spilled = spillToShared(all.program, all.plan, powers, plan, inside, limits);
  return all;
}

unsigned most(const std::vector<unsigned> &numbers) { return *std::ranges::max_element(numbers); }

TEST(SharedSpills, NothingWaitsWhereRegistersSuffice) {
  const Planned all = planned(8, {.mostRows = 20, .mostInRegisters = 16});
  EXPECT_EQ(all.spilled.rowCount, 0U);
  EXPECT_EQ(most(all.spilled.inRegisters), 8U + 1); // and the sum
}

TEST(SharedSpills, AsManyWaitAsRegistersAreTooFew) {
  const Planned all = planned(30, {.mostRows = 40, .mostInRegisters = 16});
  EXPECT_EQ(most(all.spilled.inRegisters), 16U);
  EXPECT_EQ(all.spilled.rowCount, 30U + 1 - 16);
}

TEST(SharedSpills, RowsAreNeverExceeded) {
  const Planned all = planned(30, {.mostRows = 5, .mostInRegisters = 16});
  EXPECT_EQ(all.spilled.rowCount, 5U);
  EXPECT_EQ(most(all.spilled.inRegisters), 30U + 1 - 5);
}

TEST(SharedSpills, SumsWaitToo) {
  const Planned all = planned(2, {.mostRows = 9, .mostInRegisters = 0});
  EXPECT_EQ(all.spilled.rows.size(), 2U);
  EXPECT_EQ(all.spilled.sums.size(), 1U);
  EXPECT_EQ(most(all.spilled.inRegisters), 0U);
}

} // namespace
} // namespace heddle::kernels
