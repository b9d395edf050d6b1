// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partition/Mapping.h"

#include "RandomPrograms.h"
#include "SmallPrograms.h"
#include "partition/Units.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

using namespace heddle;
using namespace heddle::partition;
using flow::Builder;
using flow::Expr;

namespace {

std::vector<unsigned> countByWarp(const Mapping &mapping, unsigned first, unsigned last, unsigned warps) {
  std::vector<unsigned> counts(warps);
  for (unsigned o = first; o < last; ++o)
    ++counts[mapping.warpOf[o]];
  return counts;
}

std::vector<std::pair<unsigned, unsigned>> ring(unsigned count) {
  std::vector<std::pair<unsigned, unsigned>> edges;
  for (unsigned i = 0; i < count; ++i)
    edges.emplace_back(i, (i + 1) % count);
  return edges;
}

} // namespace

TEST(Units, joinWhatGoesToOneOperationAlone) {
  const flow::Program program = test::chain(3);
  const Graph graph = makeGraph(program, {.warps = 1, .replicate = false});
  const Units units = makeUnits(graph, {.warps = 1});
  EXPECT_EQ(units.list.size(), 3u) << "each is more than an eighth of the work";
  Builder b;
  const unsigned field = b.addField("x", 40);
  b.addSum("w");
  for (unsigned i = 0; i < 40; ++i) {
    b.begin("first half");
    const Expr half = exp2(b.load(field, i));
    b.begin("second half");
    b.add(0, 1, log2(half));
  }
  const flow::Program halves = b.finish();
  const Graph graphOfHalves = makeGraph(halves, {.warps = 4, .replicate = false});
  const Units joined = makeUnits(graphOfHalves, {.warps = 4});
  ASSERT_EQ(joined.list.size(), 40u);
  EXPECT_THAT(joined.list[0].operations, testing::ElementsAre(0, 1));
  EXPECT_EQ(joined.levels, 1u);
}

TEST(Mapping, sharesEachLevelOutEvenly) {
  const flow::Program program = test::pairs(32, ring(32));
  for (unsigned warps : {2u, 4u, 8u}) {
    const PartitionOptions options{.warps = warps, .replicate = false};
    const Graph graph = makeGraph(program, options);
    const Mapping mapping = mapToWarps(graph, options);
    EXPECT_THAT(countByWarp(mapping, 0, 32, warps), testing::Each(32 / warps)) << "values";
    EXPECT_THAT(countByWarp(mapping, 32, 64, warps), testing::Each(32 / warps)) << "pairs";
  }
}

TEST(Mapping, keepsNeighboursTogether) {
  const flow::Program program = test::pairs(32, ring(32));
  const PartitionOptions options{.warps = 4, .replicate = false};
  const Graph graph = makeGraph(program, options);
  const Mapping mapping = mapToWarps(graph, options);
  unsigned cut = 0;
  for (unsigned o = 32; o < 64; ++o)
    for (unsigned value : graph.nodes[o].inputs)
      cut += mapping.warpOf[program.definedBy[value]] != mapping.warpOf[o];
  EXPECT_LT(cut, 32u) << "by chance 48 of 64 reads would be of another warp's values";
}

TEST(Mapping, balancesShapes) {
  Builder b;
  const unsigned field = b.addField("x", 1);
  b.addSum("w");
  for (unsigned i = 0; i < 24; ++i) {
    b.begin("one shape in three");
    const Expr x = b.load(field, 0) * double(i + 2);
    b.add(0, 1, i % 3 == 0 ? exp2(x) : i % 3 == 1 ? exp2(x + 1.5) : exp2(1.5 - x));
  }
  const flow::Program program = b.finish();
  const PartitionOptions options{.warps = 4};
  const Graph graph = makeGraph(program, options);
  const Mapping mapping = mapToWarps(graph, options);
  for (unsigned shape = 0; shape < 3; ++shape) {
    std::vector<unsigned> counts(4);
    for (unsigned o = shape; o < 24; o += 3)
      ++counts[mapping.warpOf[o]];
    EXPECT_THAT(counts, testing::Each(2));
  }
}

TEST(Mapping, putsGroupsIntoTheirWarps) {
  const flow::Program program = test::pairs(8, ring(8));
  PartitionOptions options{.warps = 6, .replicate = false};
  options.groups.assign(16, 0);
  for (unsigned o = 8; o < 12; ++o)
    options.groups[o] = 1;
  options.groupWarps = {2};
  const Graph graph = makeGraph(program, options);
  const Mapping mapping = mapToWarps(graph, options);
  for (unsigned o = 8; o < 12; ++o)
    EXPECT_GE(mapping.warpOf[o], 4u);
}

TEST(Mapping, letsOneWarpReadTheTotalsOfAResult) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const test::RandomProgram made = test::randomProgram(seed);
    const PartitionOptions options{.warps = 8};
    const Graph graph = makeGraph(made.program, options);
    const Mapping mapping = mapToWarps(graph, options);
    for (unsigned s = 0; s < made.program.sums.size(); ++s) {
      std::set<unsigned> readers;
      for (unsigned reader : graph.totalReaders[s])
        readers.insert(mapping.warpOf[reader]);
      if (made.program.sums[s].isResult)
        EXPECT_EQ(mapping.closers[s].size(), 1u) << "seed " << seed;
      EXPECT_TRUE(std::ranges::includes(mapping.closers[s], readers)) << "seed " << seed;
    }
  }
}
