// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace heddle::source {

using Adjacency = std::vector<std::vector<unsigned>>;

/// Immediate dominators and dominance frontiers of a graph of numbered nodes, seen from `root`. Given the
/// reversed graph and the exit, these are post-dominators and control dependences.
///
/// After Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm": on graphs the size of a kernel the
/// simple iteration beats Lengauer-Tarjan, and it is short.
class Dominance {
public:
  static constexpr unsigned none = ~0u;

  Dominance(const Adjacency &successors, const Adjacency &predecessors, unsigned root);

  bool isReachable(unsigned node) const { return numberOf[node] != none; }
  /// `none` for the root and for nodes that cannot be reached from it.
  unsigned immediateDominator(unsigned node) const { return node == rootNode ? none : idom[node]; }
  bool dominates(unsigned above, unsigned below) const;
  const std::vector<unsigned> &frontier(unsigned node) const { return frontiers[node]; }
  const std::vector<unsigned> &children(unsigned node) const { return treeChildren[node]; }
  const std::vector<unsigned> &reversePostorder() const { return order; }

private:
  unsigned intersect(unsigned a, unsigned b) const;
  void numberTree();

  unsigned rootNode;
  std::vector<unsigned> order, numberOf, idom;
  std::vector<unsigned> enterAt, leaveAt; ///< of a walk over the dominator tree, for `dominates`
  Adjacency frontiers, treeChildren;
};

/// The nodes in reverse postorder, from `root`.
std::vector<unsigned> reversePostorder(const Adjacency &successors, unsigned root);

} // namespace heddle::source
