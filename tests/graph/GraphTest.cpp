// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small graphs with known answers, and random ones against the definitions: what dominates is found by taking
// nodes away, components by reachability.
#include "graph/Components.h"
#include "graph/Dominance.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace heddle::graph {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr unsigned none = Dominance::none;

Adjacency reversed(const Adjacency &graph) {
  Adjacency result(graph.size());
  for (unsigned from = 0; from < graph.size(); ++from)
    for (unsigned to : graph[from])
      result[to].push_back(from);
  return result;
}

Adjacency randomGraph(unsigned seed, unsigned nodes, unsigned edges) {
  std::mt19937 random(seed);
  Adjacency graph(nodes);
  for (unsigned i = 0; i < edges; ++i) {
    std::vector<unsigned> &from = graph[random() % nodes];
    if (const unsigned to = random() % nodes; !std::ranges::count(from, to))
      from.push_back(to);
  }
  return graph;
}

/// Nodes that a path from `root` reaches, one node taken away.
std::vector<bool> reachable(const Adjacency &graph, unsigned root, unsigned without = none) {
  std::vector<bool> seen(graph.size());
  std::vector<unsigned> pending;
  auto reach = [&](unsigned node) {
    if (node != without && !seen[node]) {
      seen[node] = true;
      pending.push_back(node);
    }
  };
  for (reach(root); !pending.empty();) {
    const unsigned node = pending.back();
    pending.pop_back();
    for (unsigned next : graph[node])
      reach(next);
  }
  return seen;
}

TEST(Graph, ReversePostorderTakesTheFirstSuccessorFirst) {
  EXPECT_THAT(reversePostorder({{1, 2}, {3}, {3}, {0}, {0}}, 0), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(reversePostorder({{2, 1}, {3}, {3}, {}}, 0), ElementsAre(0, 2, 1, 3));
}

TEST(Dominance, OfADiamondInALoop) {
  const Adjacency graph = {{1}, {2, 3}, {4}, {4}, {1, 5}, {}, {5}}; // nothing leads to 6
  const Dominance dominance(graph, reversed(graph), 0);
  std::vector<unsigned> found;
  for (unsigned node = 0; node < graph.size(); ++node)
    found.push_back(dominance.immediateDominator(node));
  EXPECT_THAT(found, ElementsAre(none, 0, 1, 1, 1, 4, none));
  EXPECT_EQ(found, immediateDominators(graph, reversed(graph), 0));
  EXPECT_THAT(dominance.frontier(2), ElementsAre(4));
  EXPECT_THAT(dominance.frontier(4), ElementsAre(1));
  EXPECT_THAT(dominance.frontier(1), ElementsAre(1));
  EXPECT_THAT(dominance.children(1), testing::UnorderedElementsAre(2, 3, 4));
  EXPECT_FALSE(dominance.isReachable(6));
}

TEST(Dominance, AnEdgeBackToTheRootPutsItIntoFrontiers) {
  const Adjacency graph = {{1, 2}, {0}, {}};
  const Dominance dominance(graph, reversed(graph), 0);
  EXPECT_THAT(dominance.frontier(1), ElementsAre(0));
  EXPECT_THAT(dominance.frontier(0), ElementsAre(0));
  EXPECT_EQ(dominance.immediateDominator(0), none);
}

TEST(Dominance, OfRandomGraphsIsWhatCutsThemOff) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const unsigned nodes = 2 + seed % 12;
    const Adjacency graph = randomGraph(seed, nodes, nodes + seed % 15), back = reversed(graph);
    const Dominance dominance(graph, back, 0);
    const std::vector<bool> all = reachable(graph, 0);
    for (unsigned above = 0; above < nodes; ++above) {
      const std::vector<bool> left = reachable(graph, 0, above);
      for (unsigned below = 0; below < nodes; ++below)
        ASSERT_EQ(dominance.dominates(above, below), all[above] && all[below] && !left[below])
            << "seed " << seed << ": " << above << " over " << below;
    }
    for (unsigned node = 0; node < nodes; ++node)
      for (unsigned other = 0; other < nodes; ++other) {
        bool isInFrontier = false;
        for (unsigned before : back[other])
          isInFrontier |= dominance.dominates(node, before);
        isInFrontier &= all[other] && (node == other || !dominance.dominates(node, other));
        ASSERT_EQ(std::ranges::count(dominance.frontier(node), other), isInFrontier) << "seed " << seed;
      }
  }
}

TEST(Components, ComeBeforeWhatTheyLeadTo) {
  // 0 leads to 1, 1 and 2 to each other, 2 to 3
  EXPECT_THAT(components({{1}, {2}, {1, 3}, {}}),
              ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3)));
  EXPECT_THAT(components({}), IsEmpty());
}

TEST(Components, NodesAreInTheOrderOfTheSearch) {
  EXPECT_THAT(components({{3}, {0}, {1}, {2}}), ElementsAre(ElementsAre(0, 3, 2, 1)));
}

TEST(Components, OfRandomGraphsAreWhatReachesEachOther) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const unsigned nodes = 1 + seed % 12;
    const Adjacency graph = randomGraph(seed, nodes, nodes + seed % 9), found = components(graph);
    std::vector<unsigned> locationOf(nodes, none);
    for (unsigned i = 0; i < found.size(); ++i)
      for (unsigned node : found[i]) {
        ASSERT_EQ(locationOf[node], none) << "twice";
        locationOf[node] = i;
      }
    for (unsigned a = 0; a < nodes; ++a)
      for (unsigned b = 0; b < nodes; ++b) {
        const bool there = reachable(graph, a)[b], back = reachable(graph, b)[a];
        ASSERT_EQ(locationOf[a] == locationOf[b], there && back) << "seed " << seed;
        if (there)
          ASSERT_LE(locationOf[a], locationOf[b]) << "seed " << seed;
      }
  }
}

TEST(Components, OfAPartSeeOnlyItsEdges) {
  const Adjacency graph = {{1}, {2}, {0, 1}};
  ComponentFinder finder(3, [&](unsigned node) { return std::span(graph[node]); });
  const std::vector<unsigned> all = {0, 1, 2}, part = {1, 2}, other = {0, 2};
  EXPECT_THAT(finder.of(all), ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_THAT(finder.of(part), ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(finder.of(other), ElementsAre(ElementsAre(2), ElementsAre(0)));
}

TEST(Components, DepthIsNoLimit) {
  const unsigned nodes = 1000000;
  Adjacency graph(nodes);
  for (unsigned i = 0; i < nodes; ++i)
    graph[i].push_back((i + 1) % nodes);
  EXPECT_EQ(components(graph).size(), 1u);
}

} // namespace
} // namespace heddle::graph
