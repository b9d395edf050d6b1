// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers, placement, points and schedules of small programs.
#include "SmallPrograms.h"
#include "partition/Partition.h"
#include "partition/Schedule.h"

#include <gmock/gmock.h>

#include <algorithm>

using namespace heddle;
using namespace heddle::partition;
using flow::Builder;
using flow::Expr;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Everything up to the points, with a mapping that the test chooses.
struct Plan {
  PartitionOptions options;
  Graph graph;
  Mapping mapping;
  Transfers transfers;
  Diagnostics diagnostics;
  std::optional<Slots> slots;
  Rounds rounds;
  std::vector<RoundPoint> points;

  Plan(const flow::Program &program, PartitionOptions given, std::vector<unsigned> warpOf,
       std::vector<std::vector<unsigned>> closers)
      : options(std::move(given)), graph(makeGraph(program, options)),
        mapping{std::move(warpOf), std::move(closers)}, transfers(findTransfers(graph, mapping, options)),
        slots(placeTransfers(graph, mapping, transfers, options, diagnostics)) {
    if (!slots)
      return;
    rounds = chooseRounds(graph, mapping, transfers, *slots);
    points = findPoints(graph, mapping, transfers, *slots, rounds, options.warps);
  }
};

std::vector<StepKind> kindsOf(const std::vector<Step> &steps) {
  std::vector<StepKind> kinds;
  for (const Step &step : steps)
    kinds.push_back(step.kind);
  return kinds;
}

PartitionOptions plainly(unsigned warps) { return {.warps = warps, .replicate = false}; }

/// Two terms of a sum in each of two warps, and one more in a third.
flow::Program fiveTerms() {
  Builder b;
  const unsigned field = b.addField("x", 5);
  b.addSum("w");
  for (unsigned i = 0; i < 5; ++i) {
    b.begin("term");
    b.add(0, 1, exp2(b.load(field, i)));
  }
  return b.finish();
}

} // namespace

TEST(Plan, aProducerArrivesAndItsConsumerWaits) {
  const flow::Program program = test::chain(2);
  const Plan plan(program, plainly(2), {0, 1}, {{1}});
  ASSERT_EQ(plan.points.size(), 1u);
  EXPECT_EQ(plan.slots->rows, 1u);
  const Partitioned partitioned =
      schedule(plan.graph, plan.mapping, plan.transfers, *plan.slots, plan.rounds, plan.points, plan.options);
  EXPECT_THAT(kindsOf(partitioned.warps[0]),
              ElementsAre(StepKind::Do, StepKind::Put, StepKind::Arrive, StepKind::Wait));
  EXPECT_THAT(kindsOf(partitioned.warps[1]),
              ElementsAre(StepKind::Wait, StepKind::Get, StepKind::Do, StepKind::Accumulate, StepKind::Close,
                          StepKind::Wait));
  EXPECT_THAT(partitioned.points[0].arriving, ElementsAre(0));
  EXPECT_THAT(partitioned.points[0].waiting, ElementsAre(1));
  EXPECT_EQ(partitioned.points[0].threads(), 64u);
}

TEST(Plan, pairsThatHaveNothingToDoWithEachOtherDoNotWaitForEachOther) {
  const flow::Program program = test::pairs(4, {{0, 1}, {2, 3}});
  const Plan plan(program, plainly(4), {0, 1, 2, 3, 1, 3}, {{1}, {1}, {3}, {3}});
  ASSERT_EQ(plan.points.size(), 2u);
  EXPECT_EQ(plan.points[0].round, plan.points[1].round);
  for (const RoundPoint &point : plan.points)
    EXPECT_EQ(point.warps.size(), 2u);
}

TEST(Plan, aRoundsWholeExchangeIsOnePoint) {
  const flow::Program program =
      test::pairs(8, {{0, 4}, {1, 5}, {2, 6}, {3, 7}, {0, 7}, {1, 4}, {2, 5}, {3, 6}});
  const Plan plan(program, plainly(2), {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1},
                  {{0}, {0}, {0}, {0}, {1}, {1}, {1}, {1}});
  EXPECT_EQ(plan.transfers.phases, 3u);
  EXPECT_EQ(plan.points.size(), 2u) << "values, then sums";
}

TEST(Plan, whatIsKnownThroughAThirdWarpNeedsNoPoint) {
  // v0 goes from warp 0 to 1 and 2; v1 from 1 to 2. The last reads both.
  Builder b;
  const unsigned field = b.addField("x", 1);
  b.addSum("w");
  b.begin("a");
  const Expr first = exp2(b.load(field, 0));
  b.begin("b");
  const Expr second = exp2(first);
  b.begin("c");
  b.add(0, 1, first * second);
  const flow::Program program = b.finish();
  const Plan plan(program, plainly(3), {0, 1, 2}, {{2}});
  ASSERT_EQ(plan.points.size(), 2u);
  EXPECT_EQ(plan.points[1].warps.size(), 2u) << "warp 0 has no part in the second";
}

TEST(Plan, twoTermsAreAddedUpBeforeTheyAreSent) {
  const flow::Program program = fiveTerms();
  const Plan plan(program, plainly(3), {0, 0, 1, 1, 2}, {{2}});
  ASSERT_EQ(plan.transfers.list.size(), 2u);
  EXPECT_TRUE(plan.transfers.list[0].isPartial && plan.transfers.list[1].isPartial);
  PartitionOptions values = plainly(3);
  values.sums = SumExchange::Values;
  EXPECT_EQ(Plan(program, values, {0, 0, 1, 1, 2}, {{2}}).transfers.list.size(), 4u);
}

TEST(Plan, aValueThatIsTheOnlyTermOfTwoSumsIsSentItself) {
  Builder b;
  const unsigned field = b.addField("x", 1);
  for (const char *name : {"w0", "w1"})
    b.addSum(name);
  b.begin("term");
  const Expr value = exp2(b.load(field, 0));
  b.add(0, 1, value);
  b.add(1, 2, value);
  const flow::Program program = b.finish();
  const Plan plan(program, plainly(2), {0}, {{1}, {1}});
  ASSERT_EQ(plan.transfers.list.size(), 1u);
  EXPECT_FALSE(plan.transfers.list[0].isPartial);
}

TEST(Plan, aTotalThatTwoWarpsReadIsClosedByBoth) {
  Builder b;
  const unsigned field = b.addField("x", 4), result = b.addSum("w"), inner = b.addInnerSum("s");
  for (unsigned i = 0; i < 4; ++i) {
    b.begin("term");
    b.add(inner, 1, exp2(b.load(field, i)));
  }
  for (unsigned i = 0; i < 2; ++i) {
    b.begin("reader");
    b.add(result, 1, exp2(b.total(inner) * double(i + 1)));
  }
  const flow::Program program = b.finish();
  const Plan plan(program, plainly(2), {0, 0, 1, 1, 0, 1}, {{0}, {0, 1}});
  const Partitioned partitioned =
      schedule(plan.graph, plan.mapping, plan.transfers, *plan.slots, plan.rounds, plan.points, plan.options);
  for (const std::vector<Step> &steps : partitioned.warps)
    EXPECT_EQ(std::ranges::count_if(
                  steps, [&](const Step &s) { return s.kind == StepKind::Close && s.sum == inner; }),
              1);
}

TEST(Placement, storeGivesEachValueARowAndBufferTakesTurns) {
  std::vector<std::pair<unsigned, unsigned>> edges;
  std::vector<unsigned> warpOf(16, 0);
  std::vector<std::vector<unsigned>> closers(16, {1});
  for (unsigned i = 0; i < 16; i += 2) {
    edges.emplace_back(i, i + 1);
    warpOf.push_back(1);
  }
  const flow::Program program = test::pairs(16, edges);
  PartitionOptions options = plainly(2);
  options.placement = Placement::Store;
  const Plan store(program, options, warpOf, closers);
  EXPECT_EQ(store.slots->rows, 16u);
  EXPECT_EQ(store.slots->rounds, 2u);
  options.placement = Placement::Buffer;
  options.bufferRows = 4;
  const Plan buffer(program, options, warpOf, closers);
  EXPECT_EQ(buffer.slots->rows, 4u);
  EXPECT_EQ(buffer.slots->rounds, 8u) << "four passes of four rows; a row rests for a round while it is read";
  for (const Slot &slot : buffer.slots->of)
    if (slot.after)
      EXPECT_GE(slot.round, buffer.slots->of[*slot.after].readRound + 1);
}

TEST(Placement, warnsWhereRowsDoNotSufficeAndTakesTurns) {
  std::vector<std::pair<unsigned, unsigned>> edges;
  for (unsigned i = 0; i < 63; ++i)
    edges.emplace_back(i, i + 1);
  const flow::Program program = test::pairs(64, edges);
  PartitionOptions options = plainly(8);
  options.placement = Placement::Store;
  options.otherSharedBytes = options.multiprocessor.sharedBytes / options.ctas - 1024 - 256 * 20;
  Diagnostics diagnostics;
  const std::optional<Partitioned> partitioned = partition::partitionWarps(program, options, diagnostics);
  ASSERT_TRUE(partitioned);
  EXPECT_LE(partitioned->rows, 20u);
  ASSERT_TRUE(diagnostics.has(Severity::Warning));
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("do not fit 20 rows"));
}

TEST(Placement, refusesWhatNoRowsAreLeftFor) {
  const flow::Program program = test::pairs(8, {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {1, 2}});
  PartitionOptions options = plainly(4);
  options.otherSharedBytes = options.multiprocessor.sharedBytes;
  Diagnostics diagnostics;
  EXPECT_FALSE(partition::partitionWarps(program, options, diagnostics));
  ASSERT_TRUE(diagnostics.has(Severity::Refusal));
  EXPECT_THAT(diagnostics.all().front().text, HasSubstr("leave no row of shared memory"));
}

TEST(Rounds, operationsThatNoOtherWaitsForFillGaps) {
  // Warp 1 has a chain that it gets from warp 0; warp 0 has other work, which fits the time that the chain
  // takes.
  Builder b;
  const unsigned field = b.addField("x", 1);
  b.addSum("w0");
  b.addSum("w1");
  b.begin("first");
  const Expr first = exp2(b.load(field, 0));
  b.begin("filler");
  b.add(0, 1, exp2(log2(b.load(field, 0))));
  b.begin("long");
  const Expr back = exp2(exp2(exp2(exp2(first))));
  b.begin("last");
  b.add(1, 1, exp2(back));
  const flow::Program program = b.finish();
  const Plan plan(program, plainly(2), {0, 0, 1, 0}, {{0}, {0}});
  EXPECT_EQ(plan.rounds.of[0], 0u);
  EXPECT_EQ(plan.rounds.of[1], 1u) << "not before what warp 1 waits for, and not after it has come back";
  EXPECT_EQ(plan.rounds.of[3], 2u);
}
