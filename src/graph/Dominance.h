// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "graph/Graph.h"

namespace heddle::graph {

/// For each node the nearest other node that is on every path to it from `root`; `none` for the root and for
/// nodes that cannot be reached. Given the reversed graph and the exit, these are post-dominators.
std::vector<unsigned> immediateDominators(const Adjacency &successors, const Adjacency &predecessors,
                                          unsigned root);

/// Dominators with the tree that they are and the dominance frontiers of its nodes. Given the reversed graph
/// and the exit, these are post-dominators and control dependences.
class Dominance {
public:
  static constexpr unsigned none = ~0u;

  Dominance(const Adjacency &successors, const Adjacency &predecessors, unsigned root);

  bool isReachable(unsigned node) const { return node == rootNode || idom[node] != none; }
  /// `none` for the root and for nodes that cannot be reached from it.
  unsigned immediateDominator(unsigned node) const { return idom[node]; }
  bool dominates(unsigned above, unsigned below) const;
  const std::vector<unsigned> &frontier(unsigned node) const { return frontiers[node]; }
  const std::vector<unsigned> &children(unsigned node) const { return treeChildren[node]; }
  const std::vector<unsigned> &reversePostorder() const { return order; }

private:
  void numberTree();
  void findFrontiers(const Adjacency &predecessors);

  unsigned rootNode;
  std::vector<unsigned> order, idom;
  std::vector<unsigned> enterAt, leaveAt; ///< of a walk over the dominator tree, for `dominates`
  Adjacency frontiers, treeChildren;
};

} // namespace heddle::graph
