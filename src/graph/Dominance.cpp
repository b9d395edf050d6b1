// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001): in reverse postorder, the
// dominator of a node is where the paths from its predecessors up the tree meet; repeated until nothing
// changes. On graphs the size of a kernel this beats Lengauer-Tarjan, and it is short.
//
// LLVM's DominatorTreeBase is not used: docs/design.md, "One graph library of our own", has the measurement.
#include "graph/Dominance.h"

#include <utility>

namespace heddle::graph {
namespace {

constexpr unsigned none = Dominance::none;

/// With the root as its own dominator, so that paths up the tree end.
class Iteration {
public:
  Iteration(const Adjacency &predecessors, const std::vector<unsigned> &order)
      : predecessors(predecessors), order(order), numberOf(predecessors.size(), none),
        idom(predecessors.size(), none) {
    for (unsigned i = 0; i < order.size(); ++i)
      numberOf[order[i]] = i;
  }

  std::vector<unsigned> dominators() {
    idom[order.front()] = order.front();
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 1; i < order.size(); ++i) {
        const unsigned meet = meetOfPredecessors(order[i]);
        changed |= idom[order[i]] != meet;
        idom[order[i]] = meet;
      }
    }
    idom[order.front()] = none;
    return std::move(idom);
  }

private:
  unsigned meetOfPredecessors(unsigned node) const {
    unsigned meet = none;
    for (unsigned before : predecessors[node])
      if (idom[before] != none)
        meet = meet == none ? before : meetOf(meet, before);
    return meet;
  }

  unsigned meetOf(unsigned a, unsigned b) const {
    while (a != b) {
      while (numberOf[a] > numberOf[b])
        a = idom[a];
      while (numberOf[b] > numberOf[a])
        b = idom[b];
    }
    return a;
  }

  const Adjacency &predecessors;
  const std::vector<unsigned> &order;
  std::vector<unsigned> numberOf, idom;
};

} // namespace

std::vector<unsigned> immediateDominators(const Adjacency &successors, const Adjacency &predecessors,
                                          unsigned root) {
  const std::vector<unsigned> order = reversePostorder(successors, root);
  return Iteration(predecessors, order).dominators();
}

Dominance::Dominance(const Adjacency &successors, const Adjacency &predecessors, unsigned root)
    : rootNode(root), order(graph::reversePostorder(successors, root)),
      idom(Iteration(predecessors, order).dominators()), frontiers(successors.size()),
      treeChildren(successors.size()) {
  for (unsigned node : order)
    if (node != root)
      treeChildren[idom[node]].push_back(node);
  numberTree();
  findFrontiers(predecessors);
}

void Dominance::numberTree() {
  enterAt.assign(idom.size(), 0);
  leaveAt.assign(idom.size(), 0);
  unsigned clock = 0;
  std::vector<std::pair<unsigned, size_t>> path = {{rootNode, 0}};
  enterAt[rootNode] = clock++;
  while (!path.empty()) {
    auto &[node, next] = path.back();
    if (next == treeChildren[node].size()) {
      leaveAt[node] = clock++;
      path.pop_back();
      continue;
    }
    unsigned child = treeChildren[node][next++];
    enterAt[child] = clock++;
    path.push_back({child, 0});
  }
}

/// A node is in the frontier of everything between its predecessors and its dominator.
void Dominance::findFrontiers(const Adjacency &predecessors) {
  for (unsigned node : order)
    for (unsigned before : predecessors[node]) {
      if (!isReachable(before))
        continue;
      for (unsigned runner = before; runner != idom[node] && runner != none; runner = idom[runner])
        if (frontiers[runner].empty() || frontiers[runner].back() != node)
          frontiers[runner].push_back(node);
    }
}

bool Dominance::dominates(unsigned above, unsigned below) const {
  return isReachable(above) && isReachable(below) && enterAt[above] <= enterAt[below] &&
         leaveAt[below] <= leaveAt[above];
}

} // namespace heddle::graph
