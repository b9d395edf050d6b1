// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "graph/Graph.h"

#include <functional>
#include <span>

namespace heddle::graph {

/// Finds strongly connected components: of a whole graph, or again and again of smaller parts of it, each at the
/// cost of that part alone.
class ComponentFinder {
public:
  using Successors = std::function<std::span<const unsigned>(unsigned)>;
  ComponentFinder(size_t nodes, Successors successors);

  /// The components of these nodes and the edges between them. Each comes before all that it leads to; its
  /// nodes are in the order in which a depth-first search enters them, beginning with the first of `nodes`.
  Adjacency of(std::span<const unsigned> nodes);

private:
  void search(unsigned root);
  unsigned unseenSuccessor(unsigned node, size_t &next);
  void enter(unsigned node);
  void leave(unsigned node);

  Successors successors;
  std::vector<unsigned> part; ///< of each node: the last part that it was looked at in
  std::vector<unsigned> number,
      low;                  ///< when a search entered a node, from 1; the lowest that it gets back to
  std::vector<bool> isOpen; ///< entered, and its component is not complete
  std::vector<unsigned> open;
  std::vector<std::pair<unsigned, size_t>> path; ///< of the search: nodes, and which successor is next
  Adjacency found;
  unsigned parts = 0, entered = 0;
};

/// Of a whole graph, in the same order.
Adjacency components(const Adjacency &successors);

} // namespace heddle::graph
