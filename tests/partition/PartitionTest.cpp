// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partition/Partition.h"

#include "RandomPrograms.h"
#include "SmallPrograms.h"
#include "flow/Evaluate.h"
#include "partition/PlanFaults.h"
#include "partition/Registers.h"
#include "partition/Simulate.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

using namespace heddle;
using namespace heddle::partition;

namespace {

PartitionOptions randomOptions(std::mt19937 &random, size_t operations) {
  const auto upTo = [&](unsigned n) { return unsigned(random() % n); };
  PartitionOptions options;
  options.warps = upTo(4) == 0 ? 1 + upTo(32) : 1 + upTo(8);
  options.ctas = 1 + upTo(8);
  options.placement = Placement(upTo(3));
  options.sums = SumExchange(upTo(3));
  options.replicate = upTo(3) > 0;
  options.bufferRows = upTo(3) * upTo(6);
  options.weights = {double(upTo(3)), double(upTo(3)), double(upTo(3)), double(upTo(3))};
  if (upTo(4) == 0) // so few rows that passes are many
    options.otherSharedBytes =
        options.multiprocessor.sharedBytes / options.ctas - 1024 - 256 * (options.warps + upTo(8));
  if (upTo(2) == 0) {
    for (size_t o = 0; o < operations; ++o)
      options.groups.push_back(upTo(4) == 0 ? 1 + upTo(2) : 0);
    options.groupWarps = {upTo(3), upTo(3)};
  }
  return options;
}

} // namespace

TEST(Partition, randomProgramsGiveWhatTheyComputeUnderRandomOptions) {
  for (unsigned seed = 1; seed <= 600; ++seed) {
    const test::RandomProgram made = test::randomProgram(seed);
    std::mt19937 random(seed);
    const PartitionOptions options = randomOptions(random, made.program.operations.size());
    Diagnostics diagnostics;
    const std::optional<Partitioned> partitioned =
        partition::partitionWarps(made.program, options, diagnostics);
    ASSERT_TRUE(partitioned) << "seed " << seed << ": " << diagnostics.all().back().text;
    EXPECT_LE(partitioned->rows, options.rowBudget()) << "seed " << seed;
    const std::vector<double> expected = flow::evaluate(made.program, made.fields);
    for (unsigned run = 0; run < 3; ++run) {
      const Simulated got = simulate(made.program, *partitioned, made.fields, seed + run, 1 + run);
      ASSERT_EQ(got.fault, "") << "seed " << seed;
      for (size_t i = 0; i < expected.size(); ++i) // sums are added up in another order
        ASSERT_NEAR(got.results[i], expected[i], 1e-12 * (1 + std::abs(expected[i]))) << "seed " << seed;
    }
  }
}

TEST(Partition, givesTheSamePlanEachTime) {
  const auto text = [](const Partitioned &partitioned) {
    std::string all;
    for (const std::vector<Step> &steps : partitioned.warps)
      for (const Step &s : steps)
        all += fmt::format("{} {} {} {} {} {}; ", int(s.kind), s.operation, s.value, s.row, s.sum, s.point);
    return all;
  };
  const test::RandomProgram made = test::randomProgram(11);
  Diagnostics diagnostics;
  const std::optional<Partitioned> first = partition::partitionWarps(made.program, {}, diagnostics);
  const std::optional<Partitioned> second = partition::partitionWarps(made.program, {}, diagnostics);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(text(*first), text(*second));
}

TEST(Partition, oneWarpHasNoPointButTheLast) {
  const test::RandomProgram made = test::randomProgram(12);
  Diagnostics diagnostics;
  const std::optional<Partitioned> partitioned =
      partition::partitionWarps(made.program, {.warps = 1}, diagnostics);
  ASSERT_TRUE(partitioned);
  EXPECT_EQ(partitioned->points.size(), 1u);
  EXPECT_EQ(partitioned->rows, 0u);
}

TEST(Partition, refusesNumbersThatNoBlockHas) {
  const flow::Program program = test::chain(2);
  for (unsigned warps : {0u, 33u}) {
    Diagnostics diagnostics;
    EXPECT_FALSE(partition::partitionWarps(program, {.warps = warps}, diagnostics));
    EXPECT_TRUE(diagnostics.has(Severity::Refusal));
  }
  Diagnostics diagnostics;
  EXPECT_FALSE(partition::partitionWarps(program, {.ctas = 17}, diagnostics));
  EXPECT_TRUE(diagnostics.has(Severity::Refusal));
}

TEST(Registers, countWhatCannotBeReadAgain) {
  // Eight values of fields, all multiplied at the end: alive until then in one warp, in rows with two.
  flow::Builder b;
  const unsigned field = b.addField("x", 8);
  b.addSum("w");
  std::vector<flow::Expr> values;
  for (unsigned i = 0; i < 8; ++i) {
    b.begin("value");
    values.push_back(exp2(b.load(field, i)));
  }
  b.begin("product");
  flow::Expr product = 1.0;
  for (const flow::Expr &value : values)
    product = product * value;
  b.add(0, 1, product);
  const flow::Program program = b.finish();
  Diagnostics diagnostics;
  const std::optional<Partitioned> partitioned =
      partition::partitionWarps(program, {.warps = 1, .replicate = false}, diagnostics);
  ASSERT_TRUE(partitioned);
  EXPECT_EQ(mostKept(program, *partitioned, 0), 8u);
  EXPECT_TRUE(diagnostics.empty());
}

TEST(Registers, warnWhereTheyDoNotSuffice) {
  std::vector<std::pair<unsigned, unsigned>> edges;
  for (unsigned i = 0; i < 60; ++i)
    edges.emplace_back(i, (i * 7 + 31) % 60);
  const flow::Program program = test::pairs(60, edges);
  Diagnostics diagnostics;
  ASSERT_TRUE(partition::partitionWarps(
      program, {.warps = 2, .ctas = 16, .multiprocessor = {.registers = 32 * 1024}}, diagnostics));
  ASSERT_TRUE(diagnostics.has(Severity::Warning));
  EXPECT_THAT(diagnostics.all().back().text, testing::HasSubstr("register spills are likely"));
  EXPECT_EQ(diagnostics.all().back().hint, "--ctas 15, or a smaller --warps, or --placement store");
}
