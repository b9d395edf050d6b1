// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "partition/Graph.h"

#include "SmallPrograms.h"

#include <gmock/gmock.h>

using namespace heddle;
using namespace heddle::partition;
using flow::Builder;
using flow::Expr;
using testing::ElementsAre;

TEST(Graph, leavesOutWhatNoResultIsMadeOf) {
  Builder b;
  const unsigned field = b.addField("x", 1), result = b.addSum("w"), inner = b.addInnerSum("read");
  const unsigned unread = b.addInnerSum("unread");
  b.begin("for a total");
  b.add(inner, 1, exp2(b.load(field, 0)));
  b.begin("for nobody");
  b.add(unread, 1, log2(b.load(field, 0)));
  b.begin("reads the total");
  b.add(result, 1, b.total(inner) * 2.0);
  const flow::Program program = b.finish();
  const Graph graph = makeGraph(program, {});
  EXPECT_TRUE(graph.nodes[0].isWanted);
  EXPECT_FALSE(graph.nodes[1].isWanted);
  EXPECT_TRUE(graph.nodes[2].isWanted);
  EXPECT_THAT(graph.nodes[2].totals, ElementsAre(inner));
  EXPECT_FALSE(graph.isWantedSum[unread]);
  EXPECT_TRUE(graph.terms[unread].empty());
}

TEST(Graph, givesOneShapeToCodeThatDiffersInConstantsAndIndices) {
  Builder b;
  const unsigned field = b.addField("x", 3);
  b.addSum("w");
  const auto add = [&](unsigned component, double constant, bool twice) {
    b.begin("each");
    const Expr x = b.load(field, component);
    b.add(0, 1, exp2(x * (twice ? x : Expr(constant))));
  };
  add(0, 2, false);
  add(1, 3, false);
  add(2, 2, true);
  const flow::Program program = b.finish();
  const Graph graph = makeGraph(program, {});
  EXPECT_EQ(graph.nodes[0].shape, graph.nodes[1].shape);
  EXPECT_NE(graph.nodes[0].shape, graph.nodes[2].shape) << "a value where others have a constant";
}

/// One cheap operation that everything reads, then many that a few read.
static flow::Program commonStart(unsigned width) {
  Builder b;
  const unsigned field = b.addField("x", 1);
  b.addSum("w");
  b.begin("common");
  const Expr common = log2(b.load(field, 0));
  std::vector<Expr> values;
  for (unsigned i = 0; i < width; ++i) {
    b.begin("wide");
    values.push_back(exp2(exp2(exp2(common * double(i)))));
  }
  for (unsigned i = 0; i < 4 * width; ++i) {
    b.begin("end");
    b.add(0, 1, values[i % width] * common * double(i));
  }
  return b.finish();
}

TEST(Graph, letsEveryWarpDoWhatAllWouldWaitFor) {
  const flow::Program program = commonStart(20);
  const Graph graph = makeGraph(program, {.warps = 8});
  EXPECT_TRUE(graph.nodes[0].isReplicated);
  for (unsigned o = 1; o <= 20; ++o)
    EXPECT_FALSE(graph.nodes[o].isReplicated) << "twenty of them share one wait: sending is cheaper";
  EXPECT_FALSE(makeGraph(program, {.warps = 8, .replicate = false}).nodes[0].isReplicated);
}

TEST(Graph, neverReplicatesWhatReadsATotalOrAddsToASum) {
  Builder b;
  const unsigned field = b.addField("x", 1), result = b.addSum("w"), inner = b.addInnerSum("s");
  b.begin("adds");
  const Expr x = b.load(field, 0);
  b.add(inner, 1, x);
  b.begin("reads");
  const Expr total = b.total(inner) + 1.0;
  for (unsigned i = 0; i < 8; ++i) {
    b.begin("end");
    b.add(result, 1, total * x * double(i));
  }
  const flow::Program program = b.finish();
  const Graph graph = makeGraph(program, {.warps = 8});
  for (const Node &node : graph.nodes)
    EXPECT_FALSE(node.isReplicated);
}
