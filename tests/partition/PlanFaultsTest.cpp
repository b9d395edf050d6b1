// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partition/PlanFaults.h"

#include "RandomPrograms.h"
#include "SmallPrograms.h"
#include "flow/Evaluate.h"
#include "partition/Barriers.h"
#include "partition/Partition.h"
#include "partition/Simulate.h"

#include <gmock/gmock.h>

#include <cmath>

using namespace heddle;
using namespace heddle::partition;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

Step doing(unsigned operation) { return {.kind = StepKind::Do, .operation = operation}; }
Step putting(unsigned value, unsigned row) { return {.kind = StepKind::Put, .value = value, .row = row}; }
Step getting(unsigned value, unsigned row) { return {.kind = StepKind::Get, .value = value, .row = row}; }
Step arriving(unsigned point) { return {.kind = StepKind::Arrive, .point = point}; }
Step waiting(unsigned point) { return {.kind = StepKind::Wait, .point = point}; }

/// Warp 0 makes v0, warp 1 reads it: figure 2 of the paper, less the empty buffer, which the last point says.
struct Handover {
  flow::Program program = test::chain(2);
  unsigned first = *program.operations[1].code[0].operands[0].value;
  unsigned last = *program.operations[1].contributions[0].value.value;
  Partitioned partitioned;

  Handover() {
    partitioned.rows = 1;
    partitioned.points = {{{0}, {1}, 1}, {{}, {0, 1}, 0}};
    partitioned.warps = {
        {doing(0), putting(first, 0), arriving(0), waiting(1)},
        {waiting(0),
         getting(first, 0),
         doing(1),
         {.kind = StepKind::Accumulate, .sum = 0, .coefficient = 1, .term = flow::Operand::of(last)},
         {.kind = StepKind::Close, .sum = 0},
         waiting(1)}};
  }

  std::vector<std::string> faults() const { return findFaults(program, partitioned, 16); }
};

} // namespace

TEST(Verify, acceptsAHandover) { EXPECT_THAT(Handover().faults(), IsEmpty()); }

TEST(Verify, findsAReadThatNoPointOrders) {
  Handover handover;
  std::swap(handover.partitioned.warps[0][1], handover.partitioned.warps[0][2]); // arrives before it has put
  EXPECT_THAT(handover.faults(),
              Contains(HasSubstr("row 0 is written by step 2 of warp 0 and read by step 1 of "
                                 "warp 1")));
}

TEST(Verify, findsARowThatIsOverwrittenBeforeItIsRead) {
  Handover handover;
  std::vector<Step> &steps = handover.partitioned.warps[0];
  steps.insert(steps.begin() + 3, putting(handover.first, 0));
  EXPECT_THAT(handover.faults(), Contains(HasSubstr("no point orders them")));
}

TEST(Verify, findsWarpsThatWaitForEachOther) {
  Handover handover;
  handover.partitioned.points = {{{}, {0, 1}, 1}, {{}, {0, 1}, 2}, {{}, {0, 1}, 0}};
  handover.partitioned.warps[0] = {doing(0), putting(handover.first, 0), waiting(0), waiting(1), waiting(2)};
  handover.partitioned.warps[1][0] = waiting(1);
  handover.partitioned.warps[1].insert(handover.partitioned.warps[1].begin() + 1, waiting(0));
  handover.partitioned.warps[1].back() = waiting(2);
  EXPECT_THAT(handover.faults(), Contains("step 1 of warp 1 is at point 0 after a wait at point 1"));
  EXPECT_THAT(simulate(handover.program, handover.partitioned, {{1}}, 1).fault, HasSubstr("waits forever"));
}

TEST(Verify, findsAWarpThatNeverComes) {
  Handover handover;
  handover.partitioned.warps[0].erase(handover.partitioned.warps[0].begin() + 2);
  EXPECT_THAT(handover.faults(), Contains(HasSubstr("point 0 is never complete")));
  EXPECT_THAT(simulate(handover.program, handover.partitioned, {{1}}, 1).fault, HasSubstr("waits forever"));
}

TEST(Verify, findsValuesThatAreNotThere) {
  Handover handover;
  handover.partitioned.warps[1].erase(handover.partitioned.warps[1].begin() + 1);
  EXPECT_THAT(handover.faults(), Contains("step 1 of warp 1 reads v0, which is not in its registers"));
  handover = {};
  handover.partitioned.warps[1][1].value = handover.last;
  EXPECT_THAT(handover.faults(), Contains(HasSubstr("row 0, which holds something else")));
}

TEST(Verify, findsSumsThatAreNotWhole) {
  Handover handover;
  handover.partitioned.warps[1].insert(handover.partitioned.warps[1].begin() + 3,
                                       handover.partitioned.warps[1][3]);
  EXPECT_THAT(handover.faults(),
              Contains("step 5 of warp 1 closes w, which does not hold each of its terms once"));
  handover = {};
  handover.partitioned.warps[1].erase(handover.partitioned.warps[1].begin() + 4);
  EXPECT_THAT(handover.faults(), Contains("result w is closed 0 times"));
  handover = {};
  handover.partitioned.rows = 2;
  handover.partitioned.warps[1].insert(handover.partitioned.warps[1].begin() + 4,
                                       {.kind = StepKind::PutPartial, .row = 1, .sum = 0});
  EXPECT_THAT(handover.faults(), Contains("step 5 of warp 1 is about w, which it has closed or sent"));
}

TEST(Verify, findsABarrierThatCountsForTwoPointsAtATime) {
  Handover handover; // a second point of the same barrier, which warp 0 reaches while the first is open
  handover.partitioned.points = {{{0}, {1}, 1}, {{0}, {1}, 1}, {{}, {0, 1}, 0}};
  handover.partitioned.warps[0].insert(handover.partitioned.warps[0].begin() + 3, arriving(1));
  handover.partitioned.warps[0].back() = waiting(2);
  handover.partitioned.warps[1].back() = waiting(2);
  handover.partitioned.warps[1].insert(handover.partitioned.warps[1].begin() + 2, waiting(1));
  EXPECT_THAT(handover.faults(), Contains(HasSubstr("points 0 and 1 have barrier 1")));
  std::string fault;
  for (unsigned seed = 1; seed < 50 && fault.empty(); ++seed)
    fault = simulate(handover.program, handover.partitioned, {{1}}, seed).fault;
  EXPECT_THAT(fault, HasSubstr("while barrier 1 counts for point 0"));
  handover.partitioned.points[1].barrier = 2;
  EXPECT_THAT(handover.faults(), IsEmpty());
}

TEST(Barriers, pointsShareANumberWhenTheFirstIsKnownToBeComplete) {
  Handover handover; // there, back, and there again
  handover.partitioned.points = {{{0}, {1}, 0}, {{1}, {0}, 0}, {{0}, {1}, 0}, {{}, {0, 1}, 0}};
  handover.partitioned.warps[0] = {
      doing(0), putting(handover.first, 0), arriving(0), waiting(1), arriving(2), waiting(3)};
  handover.partitioned.warps[1].insert(handover.partitioned.warps[1].begin() + 2, {arriving(1), waiting(2)});
  handover.partitioned.warps[1].back() = waiting(3);
  EXPECT_EQ(allocateBarriers(handover.partitioned, 16), 0u);
  EXPECT_EQ(handover.partitioned.points[3].barrier, 0u);
  EXPECT_EQ(handover.partitioned.points[0].barrier, handover.partitioned.points[2].barrier);
  EXPECT_NE(handover.partitioned.points[0].barrier, handover.partitioned.points[1].barrier)
      << "warp 0 may come to the second before warp 1 has come to the first";
  EXPECT_THAT(handover.faults(), IsEmpty());
}

TEST(Barriers, becomeWaitsOfAllWhereNumbersDoNotSuffice) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const test::RandomProgram made = test::randomProgram(seed);
    for (unsigned ctas : {4u, 8u, 16u}) {
      Diagnostics diagnostics;
      const std::optional<Partitioned> partitioned = partition::partitionWarps(
          made.program, {.warps = 7, .ctas = ctas, .replicate = false}, diagnostics);
      ASSERT_TRUE(partitioned) << "seed " << seed;
      for (const SyncPoint &point : partitioned->points)
        EXPECT_LT(point.barrier, 16 / ctas) << "seed " << seed;
    }
  }
}

/// Takes one step away from, or turns two around in, plans that are right. What Verify does not mind must
/// make no difference in any of a number of runs.
TEST(Verify, whatItAcceptsOfDamagedPlansIsNotDamaged) {
  unsigned found = 0, accepted = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const test::RandomProgram made = test::randomProgram(seed);
    std::mt19937 random(seed);
    PartitionOptions options{
        .warps = 2 + seed % 5, .placement = Placement(seed % 3), .replicate = seed % 2 == 0};
    options.bufferRows = 3;
    Diagnostics diagnostics;
    std::optional<Partitioned> partitioned = partition::partitionWarps(made.program, options, diagnostics);
    ASSERT_TRUE(partitioned) << "seed " << seed;
    std::vector<Step> &steps = partitioned->warps[random() % partitioned->warps.size()];
    const size_t at = random() % steps.size();
    if (random() % 2 == 0)
      steps.erase(steps.begin() + long(at));
    else
      std::swap(steps[at], steps[random() % steps.size()]);
    if (!findFaults(made.program, *partitioned, 16).empty()) {
      ++found;
      continue;
    }
    ++accepted;
    const std::vector<double> expected = flow::evaluate(made.program, made.fields);
    for (unsigned run = 0; run < 10; ++run) {
      const Simulated got = simulate(made.program, *partitioned, made.fields, run, 2);
      ASSERT_EQ(got.fault, "") << "seed " << seed;
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(got.results[i], expected[i], 1e-12 * (1 + std::abs(expected[i]))) << "seed " << seed;
    }
  }
  EXPECT_GT(found, 100u);
  EXPECT_GT(accepted, 20u) << "independent steps may change places";
}
