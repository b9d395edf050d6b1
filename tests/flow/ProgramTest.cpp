// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "flow/Builder.h"
#include "flow/Cost.h"
#include "flow/Evaluate.h"
#include "flow/Order.h"
#include "flow/Segments.h"
#include "flow/Stages.h"
#include "flow/Work.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

using namespace heddle::flow;
using testing::ElementsAre;

namespace {

/// Pairs of fields are multiplied into sums: the shape of reactions between species.
Program pairs(const std::vector<std::pair<unsigned, unsigned>> &edges, unsigned count) {
  Builder b;
  const unsigned field = b.addField("x", count);
  std::vector<Expr> values;
  for (unsigned i = 0; i < count; ++i) {
    b.addSum("w" + std::to_string(i));
    b.begin("value " + std::to_string(i));
    values.push_back(exp2(b.load(field, i)));
  }
  for (auto [i, j] : edges) {
    b.begin("pair");
    const Expr product = values[i] * values[j];
    b.add(i, -1, product);
    b.add(j, 2, product);
  }
  return b.finish();
}

Program randomPairs(std::mt19937 &random, unsigned count, unsigned edges) {
  std::vector<std::pair<unsigned, unsigned>> list;
  for (unsigned e = 0; e < edges; ++e) {
    const unsigned i = unsigned(random() % count);
    list.emplace_back(i, (i + 1 + random() % 5) % count); // neighbours mostly, so that order matters
  }
  std::ranges::shuffle(list, random);
  return pairs(list, count);
}

} // namespace

TEST(Builder, foldsConstantsAndDropsWhatChangesNothing) {
  Builder b;
  const unsigned field = b.addField("x", 1);
  b.begin("all");
  const Expr x = b.load(field, 0);
  EXPECT_TRUE((Expr(2.0) * Expr(3.0) + Expr(1.0)).get().is(7));
  EXPECT_EQ((x * 1.0).get(), x.get());
  EXPECT_EQ((x + 0.0).get(), x.get());
  EXPECT_TRUE((x * 0.0).get().is(0));
  EXPECT_EQ(fma(x, 1.0, 0.0).get(), x.get());
  EXPECT_TRUE(piecewise(x, {{1.0}, {5.0, 5.0}}).get().is(5));
  EXPECT_EQ(b.finish().operations[0].code.size(), 1u) << "only the load is left";
}

TEST(Evaluate, computesEachKindOfInstruction) {
  Builder b;
  const unsigned field = b.addField("x", 2);
  for (int i = 0; i < 9; ++i)
    b.addSum("s" + std::to_string(i));
  b.begin("all");
  const Expr x = b.load(field, 0), y = b.load(field, 1);
  b.add(0, 1, x + y);
  b.add(1, 1, x - y);
  b.add(2, 1, fma(x, y, x));
  b.add(3, 1, reciprocal(y));
  b.add(4, 1, exp2(x));
  b.add(5, 1, log2(y));
  b.add(6, 1, max(x, y));
  b.add(7, 1, piecewise(x, {{1.0, 2.0}, {10.0, 20.0, 30.0}}));
  b.add(8, 3, ifPositive(x, 1.0, -1.0));
  const Program program = b.finish();
  EXPECT_THAT(evaluate(program, {{2, 4}}), ElementsAre(6, -2, 10, 0.25, 4, 2, 4, 20, 3));
  EXPECT_THAT(evaluate(program, {{-1, 4}}), ElementsAre(3, -5, -5, 0.25, 0.5, 2, 4, 10, -3));
}

TEST(Program, namesWhatAnOperationReadsAndNeeds) {
  Builder b;
  const unsigned field = b.addField("x", 1);
  b.addSum("w");
  b.begin("a");
  const Expr a = exp2(b.load(field, 0));
  b.begin("b");
  const Expr c = a * a;
  b.begin("sum");
  b.add(0, 1, c * c);
  const Program program = b.finish();
  EXPECT_THAT(program.inputs(2), ElementsAre(*c.get().value));
  EXPECT_THAT(program.needs(2), ElementsAre(0, 1)) << "what is needed first comes first";
}

TEST(Order, holdsEveryOperationWithAContributionOnce) {
  std::mt19937 random(1);
  const Program program = randomPairs(random, 20, 100);
  std::vector<unsigned> order = orderForFewLiveValues(program);
  EXPECT_EQ(order.size(), 100u);
  EXPECT_EQ(std::set<unsigned>(order.begin(), order.end()).size(), 100u);
}

TEST(Order, keepsFewerValuesAliveThanTheOrderOfTheFile) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const Program program = randomPairs(random, 40, 120);
    std::vector<unsigned> asGiven;
    for (unsigned i = 0; i < program.operations.size(); ++i)
      if (!program.operations[i].isPure())
        asGiven.push_back(i);
    EXPECT_LT(mostAlive(program, orderForFewLiveValues(program)), mostAlive(program, asGiven))
        << "seed " << seed;
  }
}

TEST(Order, countsWhatIsAliveInAChain) {
  // 0-1, 1-2, 2-3: done in this order, two values and two sums live at a time.
  const Program program = pairs({{0, 1}, {1, 2}, {2, 3}}, 4);
  EXPECT_EQ(mostAlive(program, {4, 5, 6}), 4u);
  EXPECT_EQ(mostAlive(program, {4, 6, 5}), 6u) << "1 and 2 wait through the middle, each with its sum";
}

TEST(Segments, keepEveryOperationInOrderWithinTheLimit) {
  std::mt19937 random(7);
  const Program program = randomPairs(random, 40, 200);
  const std::vector<unsigned> order = orderForFewLiveValues(program);
  for (unsigned limit : {100u, 300u, 1000u, 100000u}) {
    std::vector<unsigned> joined;
    for (const Segment &segment : cutIntoSegments(program, order, limit)) {
      EXPECT_LE(segment.instructions, limit);
      joined.insert(joined.end(), segment.operations.begin(), segment.operations.end());
      std::set<unsigned> here(segment.pure.begin(), segment.pure.end());
      for (unsigned operation : segment.operations)
        for (unsigned needed : program.needs(operation))
          EXPECT_TRUE(here.contains(needed));
    }
    EXPECT_EQ(joined, order);
  }
  EXPECT_EQ(cutIntoSegments(program, order, 100000).size(), 1u);
}

TEST(Segments, giveAnOperationThatIsTooLargeASegmentOfItsOwn) {
  const Program program = pairs({{0, 1}, {1, 2}}, 3);
  EXPECT_EQ(cutIntoSegments(program, orderForFewLiveValues(program), 1).size(), 2u);
}

TEST(Builder, totalsReadWhatEarlierOperationsContributed) {
  Builder b;
  const unsigned field = b.addField("x", 2), step = b.addUniform("step"), result = b.addSum("w");
  const unsigned inner = b.addInnerSum("both");
  b.begin("first");
  b.add(inner, 2, b.load(field, 0));
  b.begin("second");
  b.add(inner, -1, b.load(field, 1));
  b.begin("last");
  b.add(result, 1, b.total(inner) * b.load(step, 0));
  const Program program = b.finish();
  EXPECT_EQ(program.resultCount(), 1u);
  EXPECT_THAT(evaluate(program, {{5, 3}, {10}}), ElementsAre(70));
}

TEST(Work, CountsEveryNumberOnceAndEveryOperation) {
  Builder b;
  const unsigned field = b.addField("x", 2), step = b.addUniform("step"), result = b.addSum("w");
  b.begin("first");
  const Expr x = exp2(b.load(field, 0)), y = log2(b.load(field, 1));
  b.begin("second");
  b.add(result, 1, fma(x, y, b.load(field, 0)) * reciprocal(b.load(step, 0)));
  const Work work = workOf(b.finish());
  EXPECT_EQ(work.arithmetic, 3u); // with the sum
  EXPECT_EQ(work.exponentials, 1u);
  EXPECT_EQ(work.logarithms, 1u);
  EXPECT_EQ(work.reciprocals, 1u);
  EXPECT_EQ(work.bytes(), 24u);
}

namespace {

/// Two stages: what the second contributes needs a total, through a pure operation.
Program twoStages() {
  Builder b;
  const unsigned field = b.addField("x", 2), result = b.addSum("w"), inner = b.addInnerSum("both");
  b.begin("first");
  b.add(inner, 1, exp2(b.load(field, 0)));
  b.begin("second");
  b.add(inner, 1, exp2(b.load(field, 1)));
  b.begin("root");
  const Expr root = b.total(inner) * 0.5;
  b.begin("done at once");
  b.add(result, 1, b.load(field, 0));
  b.begin("last");
  b.add(result, 1, root);
  return b.finish();
}

} // namespace

TEST(Stages, beginWhereTotalsAreComplete) { EXPECT_THAT(stagesOf(twoStages()), ElementsAre(0, 0, 1, 0, 1)); }

TEST(Stages, followEachOtherInOrderAndSegments) {
  const Program program = twoStages();
  const std::vector<unsigned> order = orderForFewLiveValues(program);
  ASSERT_EQ(order.size(), 4u);
  EXPECT_EQ(order.back(), 4u);
  const std::vector<Segment> segments = cutIntoSegments(program, order, 100000);
  ASSERT_EQ(segments.size(), 2u) << "one for each stage, however small";
  EXPECT_THAT(segments.back().operations, ElementsAre(4));
  EXPECT_THAT(segments.back().pure, ElementsAre(2));
}
