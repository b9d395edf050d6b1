// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overlaid code, looked at and run.
#include "partition/Overlay.h"

#include "Interpret.h"
#include "LevelPlan.h"
#include "partition/GatherSums.h"
#include "partition/OrderByShape.h"
#include "partition/Partition.h"

#include <gmock/gmock.h>

#include <random>

namespace heddle::partition::test {
namespace {

using flow::Expr;
using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

/// Every warp loads, computes by its own way and stores; a wait of all warps at the end.
struct Hand {
  flow::Builder b;
  unsigned field;
  std::vector<unsigned> sums;

  explicit Hand(unsigned warps) : field(b.addField("x", 8)) {
    for (unsigned i = 0; i < warps; ++i)
      sums.push_back(b.addSum("y" + std::to_string(i)));
  }

  Expr load(unsigned warp) { return b.load(field, warp); }

  /// One operation for each warp.
  Partitioned plan(const flow::Program &program) const {
    Partitioned partitioned;
    SyncPoint all;
    for (unsigned warp = 0; warp < sums.size(); ++warp) {
      std::vector<Step> steps = {perform(warp)};
      const flow::Contribution &out = program.operations[warp].contributions.front();
      Step add = step(StepKind::Accumulate);
      add.sum = out.sum;
      add.coefficient = out.coefficient;
      add.term = out.value;
      steps.insert(steps.end(), {add, close(out.sum), at(StepKind::Wait, 0)});
      partitioned.warps.push_back(steps);
      all.waiting.push_back(warp);
    }
    partitioned.points = {all};
    return partitioned;
  }
};

std::vector<WarpMask> masksOf(const Overlaid &overlaid) {
  std::vector<WarpMask> masks;
  for (const Fork &fork : overlaid.forks)
    for (const Region &way : fork.ways)
      masks.push_back(way.warps);
  return masks;
}

std::vector<double> run(const flow::Program &program, const Overlaid &overlaid,
                        const std::vector<std::vector<double>> &fields) {
  return Interpreter(program, overlaid, fields).run();
}

const std::vector<std::vector<double>> someFields = {{0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5}};

TEST(Overlay, warpsThatAgreeUpToConstantsShareAllOfTheirCode) {
  Hand hand(4);
  for (unsigned warp = 0; warp < 4; ++warp) {
    hand.b.begin("op");
    hand.b.add(hand.sums[warp], 1, exp2(fma(hand.load(warp), 0.5 + warp, 0.25)));
  }
  const flow::Program program = hand.b.finish();
  const Overlaid overlaid = overlay(program, hand.plan(program));
  EXPECT_THAT(masksOf(overlaid), ElementsAre(0xfu));
  EXPECT_THAT(overlaid.instances, SizeIs(7)) << "load, fma, exp2, zero, accumulate, store, wait";
  const Constants constants = constantsOf(overlaid);
  EXPECT_EQ(constants.numbers.length(), 1u) << "the factor differs, the addend does not";
  EXPECT_EQ(constants.indices.length(), 1u) << "component and result of a warp have the same number";
  EXPECT_EQ(run(program, overlaid, someFields), evaluate(program, someFields));
}

TEST(Overlay, whatSomeWarpsDoIsGuardedByAMask) {
  Hand hand(4);
  for (unsigned warp = 0; warp < 4; ++warp) {
    hand.b.begin("op");
    Expr x = hand.load(warp) * 2.0;
    if (warp == 1 || warp == 2)
      x = exp2(log2(x) * 1.5);
    hand.b.add(hand.sums[warp], 1, x);
  }
  const flow::Program program = hand.b.finish();
  const Overlaid overlaid = overlay(program, hand.plan(program));
  EXPECT_THAT(masksOf(overlaid), ElementsAre(0xfu, 0x6u, 0xfu));
  EXPECT_EQ(run(program, overlaid, someFields), evaluate(program, someFields));
}

TEST(Overlay, warpsThatHaveNothingInCommonGoWaysOfTheirOwn) {
  Hand hand(3);
  for (unsigned warp = 0; warp < 3; ++warp) {
    hand.b.begin("op");
    Expr x = hand.load(warp);
    for (int i = 0; i < 40; ++i)
      x = warp == 0 ? exp2(x) : warp == 1 ? log2(x) : reciprocal(x);
    hand.b.add(hand.sums[warp], 1, x);
  }
  const flow::Program program = hand.b.finish();
  const Overlaid overlaid = overlay(program, hand.plan(program));
  EXPECT_EQ(masksOf(overlaid).front(), 0x7u);
  ASSERT_GT(overlaid.forks.size(), 3u) << "long ways are cut";
  EXPECT_THAT(overlaid.forks[1].ways, SizeIs(3));
  for (const Fork &fork : overlaid.forks)
    for (const Region &way : fork.ways)
      EXPECT_LE(way.instructions, 200u);
}

TEST(Overlay, barriersAreSharedOnlyWhereNumberAndCountAreTheSame) {
  Hand hand(4);
  for (unsigned warp = 0; warp < 4; ++warp) {
    hand.b.begin("op");
    hand.b.add(hand.sums[warp], 1, hand.load(warp));
  }
  const flow::Program program = hand.b.finish();
  Partitioned partitioned = hand.plan(program);
  partitioned.points.push_back({{0}, {1}, 3});
  partitioned.points.push_back({{2}, {3}, 4});
  for (unsigned warp = 0; warp < 4; ++warp)
    partitioned.warps[warp].insert(partitioned.warps[warp].begin() + 1,
                                   at(warp % 2 == 0 ? StepKind::Arrive : StepKind::Wait, 1 + warp / 2));
  const Overlaid overlaid = overlay(program, partitioned);
  std::vector<std::pair<unsigned, WarpMask>> syncs;
  for (const Instance &instance : overlaid.instances)
    if (instance.shape.kind == PieceKind::Arrive || instance.shape.kind == PieceKind::Wait)
      syncs.emplace_back(instance.shape.barrier, instance.warps);
  std::ranges::sort(syncs);
  EXPECT_THAT(syncs, ElementsAre(std::pair(0u, 0xfu), std::pair(3u, 1u), std::pair(3u, 2u), std::pair(4u, 4u),
                                 std::pair(4u, 8u)));
  EXPECT_EQ(run(program, overlaid, someFields), evaluate(program, someFields));
}

/// Sums over rows that a first warp has put, of different lengths.
struct Rows {
  flow::Builder b;
  flow::Program program;
  Partitioned partitioned;

  explicit Rows(const std::vector<unsigned> &lengths) {
    const unsigned field = b.addField("x", 8);
    for (size_t i = 0; i < lengths.size(); ++i)
      b.addSum("y" + std::to_string(i));
    b.begin("load");
    std::vector<Expr> x;
    for (unsigned i = 0; i < 8; ++i)
      x.push_back(b.named("x" + std::to_string(i), b.load(field, i)));
    b.begin("sums");
    for (unsigned i = 0; i < lengths.size(); ++i)
      for (unsigned j = 0; j < lengths[i]; ++j)
        b.add(i, 1.0 + i + j, x[(i + j) % 8]);
    program = b.finish();
    partitioned.rows = 8;
    partitioned.points.resize(2);
    partitioned.points[1].barrier = 1;
    for (unsigned warp = 0; warp < lengths.size(); ++warp) {
      std::vector<Step> steps;
      if (warp == 0)
        steps.push_back(perform(0));
      for (unsigned i = 0; warp == 0 && i < 8; ++i)
        steps.push_back(put(i, i));
      steps.push_back(at(StepKind::Wait, 0));
      for (unsigned j = 0; j < lengths[warp]; ++j) {
        steps.push_back(get((warp + j) % 8, (warp + j) % 8));
        steps.push_back(accumulate(warp, 1.0 + warp + j, (warp + j) % 8));
      }
      steps.push_back(close(warp));
      steps.push_back(at(StepKind::Wait, 1));
      partitioned.warps.push_back(steps);
      for (SyncPoint &point : partitioned.points)
        point.waiting.push_back(warp);
    }
  }
};

TEST(Overlay, aFewTermsThatSomeWarpsLackAreAddedByAllAsZeros) {
  const Rows rows({3, 5, 5, 5});
  const Overlaid padded = overlay(rows.program, rows.partitioned);
  EXPECT_TRUE(padded.hasZeroRow);
  EXPECT_EQ(padded.rows, 9u);
  EXPECT_THAT(masksOf(padded), ElementsAre(0x1u, 0xfu)) << "the first warp loads, then there is no branch";
  EXPECT_EQ(run(rows.program, padded, someFields), evaluate(rows.program, someFields));

  const Overlaid branching = overlay(rows.program, rows.partitioned, {200, false});
  EXPECT_FALSE(branching.hasZeroRow);
  EXPECT_THAT(masksOf(branching), ElementsAre(0x1u, 0xfu, 0xeu, 0xfu));
  EXPECT_EQ(run(rows.program, branching, someFields), evaluate(rows.program, someFields));
}

TEST(Overlay, whatManyWarpsWouldDoForOneIsNotPadded) {
  const Rows rows({8, 1, 1, 1, 1, 1});
  const Overlaid overlaid = overlay(rows.program, rows.partitioned);
  EXPECT_FALSE(overlaid.hasZeroRow);
  EXPECT_EQ(run(rows.program, overlaid, someFields), evaluate(rows.program, someFields));
}

TEST(Overlay, aResultThatIsNeverClosedIsZero) {
  Hand hand(2);
  hand.b.addSum("nothing");
  for (unsigned warp = 0; warp < 2; ++warp) {
    hand.b.begin("op");
    hand.b.add(hand.sums[warp], 1, hand.load(warp));
  }
  const flow::Program program = hand.b.finish();
  const Overlaid overlaid = overlay(program, hand.plan(program));
  EXPECT_THAT(run(program, overlaid, someFields), ElementsAre(0.5, 1.5, 0.0));
}

TEST(Pieces, anOperationWithManyInputsReadsThemOneAtATime) {
  flow::Builder b;
  const unsigned field = b.addField("x", 40), out = b.addSum("y");
  b.begin("load");
  std::vector<Expr> x;
  for (unsigned i = 0; i < 40; ++i)
    x.push_back(b.load(field, i));
  b.begin("sum");
  Expr sum = 0.0;
  for (unsigned i = 0; i < 40; ++i)
    sum = fma(x[i], 2.0 + i, sum);
  b.add(out, 1, sum * x[3]);
  const flow::Program program = b.finish();
  const Partitioned partitioned = planByLevels(program, 2);
  const PieceList list = piecesOf(program, partitioned, 1, rowFactsOf(program, partitioned));
  std::vector<size_t> gets;
  unsigned most = 0;
  for (unsigned place = 0; place < 2 * list.pieces.size(); ++place)
    most = std::max(most, unsigned(std::ranges::count_if(list.webs, [&](const Web &web) {
                      return web.begin <= place && place < web.end;
                    })));
  EXPECT_LE(most, 4u) << "values alive at once";
  EXPECT_EQ(std::ranges::count_if(list.pieces,
                                  [](const Piece &piece) { return piece.shape.kind == PieceKind::Get; }),
            41)
      << "x[3] is read again at the end";
}

TEST(Pieces, aRowIsReadBeforeItsWarpSaysThatItWasRead) {
  flow::Builder b;
  const unsigned field = b.addField("x", 1), out = b.addSum("y");
  b.begin("load");
  const Expr x = b.load(field, 0);
  b.begin("use");
  b.add(out, 1, exp2(x));
  const flow::Program program = b.finish();
  Partitioned partitioned;
  partitioned.rows = 1;
  partitioned.points = {{{0}, {1}, 1}, {{1}, {0}, 2}};
  partitioned.warps = {
      {perform(0), put(0, 0), at(StepKind::Arrive, 0), at(StepKind::Wait, 1), put(0, 0)}, // used again
      {at(StepKind::Wait, 0), get(0, 0), at(StepKind::Arrive, 1), perform(1), accumulate(0, 1, 1), close(0)}};
  const PieceList list = piecesOf(program, partitioned, 1, rowFactsOf(program, partitioned));
  std::vector<PieceKind> kinds;
  for (const Piece &piece : list.pieces)
    kinds.push_back(piece.shape.kind);
  using enum PieceKind;
  EXPECT_THAT(kinds, ElementsAre(Wait, Get, Arrive, Compute, Zero, Accumulate, Store));
}

/// Programs of random operations, some of them alike.
flow::Program randomProgram(std::mt19937 &random) {
  const auto below = [&](unsigned n) { return unsigned(random() % n); };
  flow::Builder b;
  const unsigned x = b.addField("x", 8), sums = 3 + below(4);
  for (unsigned i = 0; i < sums; ++i)
    b.addSum("y" + std::to_string(i));
  const unsigned inner = b.addInnerSum("inner");
  std::vector<Expr> values;
  b.begin("point");
  values.push_back(b.load(x, 0));
  values.push_back(max(values[0], 0.25));
  const auto any = [&] { return values[below(unsigned(values.size()))]; };
  const unsigned count = 5 + below(30);
  for (unsigned i = 0; i < count; ++i) {
    b.begin("op" + std::to_string(i));
    Expr v = 0.5 + below(3);
    switch (below(4)) {
    case 0: v = fma(any(), 0.125 * (1 + below(4)), b.load(x, below(8))); break;
    case 1: v = exp2(fma(any(), -0.25, 0.5)) * 0.125; break;
    case 2: v = piecewise(any(), {{1.0, 2.0}, {0.5, 1.5, double(below(4))}}) * any(); break;
    case 3: v = any() * 0.25 - reciprocal(max(any(), 0.5)); break;
    }
    values.push_back(v);
    if (below(2))
      for (unsigned k = 0; k <= below(3); ++k)
        b.add(below(sums), below(2) ? 1.0 : -2.0, v);
    if (below(4) == 0)
      b.add(inner, 0.5, v);
  }
  b.begin("end");
  b.add(0, 1, b.total(inner) * values[1]);
  return b.finish();
}

TEST(Overlay, computesWhatTheProgramSaysForAnyNumberOfWarps) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const flow::Program program = randomProgram(random);
    const std::vector<double> expected = evaluate(program, someFields);
    for (unsigned warps : {1u, 2u, 3u, 8u}) {
      const Partitioned partitioned = planByLevels(program, warps);
      for (bool pads : {false, true}) {
        const std::vector<double> got = run(program, overlay(program, partitioned, {40, pads}), someFields);
        ASSERT_EQ(got.size(), expected.size());
        for (size_t i = 0; i < got.size(); ++i)
          ASSERT_NEAR(got[i], expected[i], 1e-12 * (1 + std::abs(expected[i])))
              << "seed " << seed << ", " << warps << " warps, result " << i;
      }
    }
  }
}

TEST(Overlay, computesWhatTheProgramSaysByAnyPlan) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const flow::Program program = randomProgram(random);
    const std::vector<double> expected = evaluate(program, someFields);
    for (Placement placement : {Placement::Store, Placement::Buffer, Placement::Mixed})
      for (SumExchange sums : {SumExchange::Partials, SumExchange::Values}) {
        PartitionOptions options;
        options.warps = 1 + seed % 7;
        options.placement = placement;
        options.sums = sums;
        options.replicate = seed % 2;
        Diagnostics diagnostics;
        const std::optional<Partitioned> partitioned = partitionWarps(program, options, diagnostics);
        ASSERT_TRUE(partitioned) << "seed " << seed;
        const std::vector<double> got = run(program, overlay(program, *partitioned), someFields);
        for (size_t i = 0; i < got.size(); ++i)
          ASSERT_NEAR(got[i], expected[i], 1e-12 * (1 + std::abs(expected[i])))
              << "seed " << seed << ", placement " << int(placement) << ", result " << i;
      }
  }
}

TEST(GatherSums, termsInRowsAreAddedSumAfterSumTheLongestFirst) {
  const Rows rows({2, 2});
  Partitioned partitioned = rows.partitioned;
  // One warp has two sums, whose terms come mixed.
  partitioned.warps[1] = {at(StepKind::Wait, 0), get(0, 0),           get(1, 1), accumulate(0, 1, 0),
                          accumulate(1, 1, 0),   accumulate(1, 2, 1), close(0),  close(1),
                          at(StepKind::Wait, 1)};
  const std::vector<Step> steps = gatherSums(partitioned, 1, rowFactsOf(rows.program, partitioned));
  std::vector<std::pair<StepKind, unsigned>> seen;
  for (const Step &step : steps)
    if (step.kind == StepKind::Accumulate || step.kind == StepKind::Close)
      seen.emplace_back(step.kind, step.sum);
  using enum StepKind;
  EXPECT_THAT(seen, ElementsAre(std::pair(Accumulate, 1u), std::pair(Accumulate, 1u), std::pair(Close, 1u),
                                std::pair(Accumulate, 0u), std::pair(Close, 0u)));
}

TEST(OrderByShape, operationsOfOneStructureAreAdjacent) {
  flow::Builder b;
  const unsigned x = b.addField("x", 8), y = b.addSum("y");
  for (unsigned i = 0; i < 6; ++i) {
    b.begin("op");
    b.add(y, 1, i % 3 == 1 ? exp2(b.load(x, i)) : b.load(x, i) * 2.0);
  }
  const flow::Program program = b.finish();
  Partitioned partitioned;
  partitioned.warps.resize(1);
  for (unsigned i = 0; i < 6; ++i)
    partitioned.warps[0].push_back(perform(i));
  std::vector<unsigned> order;
  const Partitioned ordered = orderByShape(program, partitioned);
  for (const Step &step : ordered.warps[0])
    order.push_back(step.operation);
  EXPECT_THAT(order, ElementsAre(0, 2, 3, 5, 1, 4)) << "the commonest shape first";
}

TEST(Variables, whatDifferentWarpsHoldSharesOneVariable) {
  // Each warp keeps a value of its own over code that they share.
  Hand hand(4);
  for (unsigned warp = 0; warp < 4; ++warp) {
    hand.b.begin("op");
    const Expr own = warp % 2 ? log2(hand.load(warp)) : reciprocal(hand.load(warp));
    hand.b.add(hand.sums[warp], 1, exp2(hand.load(warp + 1) * 0.5) * own);
  }
  const flow::Program program = hand.b.finish();
  const Overlaid overlaid = overlay(program, hand.plan(program));
  std::set<unsigned> kept;
  for (const Instance &instance : overlaid.instances)
    if (instance.shape.kind == PieceKind::Compute &&
        (instance.shape.op == flow::Op::Log2 || instance.shape.op == flow::Op::Reciprocal))
      kept.insert(instance.writes[0]);
  EXPECT_THAT(kept, SizeIs(1));
  EXPECT_EQ(run(program, overlaid, someFields), evaluate(program, someFields));
}

TEST(Overlay, everyWarpKeepsTheOrderOfItsOwnPieces) {
  std::mt19937 random(5);
  const flow::Program program = randomProgram(random);
  const Overlaid overlaid = overlay(program, planByLevels(program, 4));
  std::vector<std::vector<unsigned>> order(4);
  for (const Fork &fork : overlaid.forks)
    for (const Region &way : fork.ways)
      for (unsigned i : way.instances)
        for (unsigned warp = 0; warp < 4; ++warp)
          if (overlaid.instances[i].pieces[warp] != Piece::none)
            order[warp].push_back(overlaid.instances[i].pieces[warp]);
  for (unsigned warp = 0; warp < 4; ++warp) {
    EXPECT_TRUE(std::ranges::is_sorted(order[warp]));
    EXPECT_EQ(order[warp].size(), overlaid.lists[warp].pieces.size());
  }
}

TEST(Constants, eachWayIsChosenWhereItFits) {
  Constants constants;
  constants.numbers.ofWarp.assign(8, std::vector<double>(500));
  constants.indices.ofWarp.assign(8, std::vector<unsigned>(300));
  EXPECT_EQ(choosePlaces(constants, 80, 100 << 10, {}).numbers, ConstantPlace::Shared);
  EXPECT_EQ(choosePlaces(constants, 80, 48 << 10, {}).numbers, ConstantPlace::Compiler);
  EXPECT_EQ(choosePlaces(constants, 80, 48 << 10, {}).indices, ConstantPlace::Shared);
  constants.numbers.ofWarp.assign(24, std::vector<double>(320));
  constants.indices.ofWarp.assign(24, std::vector<unsigned>(300));
  EXPECT_EQ(choosePlaces(constants, 80, 36 << 10, {}).numbers, ConstantPlace::Shuffle);
  EXPECT_EQ(choosePlaces(constants, 80, 100 << 10, ConstantPlace::Compiler).numbers, ConstantPlace::Compiler);
}

TEST(Constants, zerosOfBothSignsAreDifferent) {
  Hand hand(2);
  for (unsigned warp = 0; warp < 2; ++warp) {
    hand.b.begin("op");
    hand.b.add(hand.sums[warp], 1, max(hand.load(warp), warp == 0 ? 0.0 : -0.0));
  }
  const flow::Program program = hand.b.finish();
  EXPECT_EQ(constantsOf(overlay(program, hand.plan(program))).numbers.length(), 1u);
}

} // namespace
} // namespace heddle::partition::test
