// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/Dominance.h"

#include <algorithm>
#include <utility>

namespace heddle::source {

std::vector<unsigned> reversePostorder(const Adjacency &successors, unsigned root) {
  std::vector<unsigned> order;
  std::vector<bool> seen(successors.size());
  std::vector<std::pair<unsigned, size_t>> path = {{root, 0}};
  seen[root] = true;
  while (!path.empty()) {
    auto &[node, next] = path.back();
    if (next == successors[node].size()) {
      order.push_back(node);
      path.pop_back();
      continue;
    }
    // Last successor first: then the first one, the branch taken, comes first in the result.
    unsigned successor = successors[node][successors[node].size() - ++next];
    if (!seen[successor]) {
      seen[successor] = true;
      path.push_back({successor, 0});
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Dominance::Dominance(const Adjacency &successors, const Adjacency &predecessors, unsigned root)
    : rootNode(root), order(source::reversePostorder(successors, root)), numberOf(successors.size(), none),
      idom(successors.size(), none), frontiers(successors.size()), treeChildren(successors.size()) {
  for (unsigned i = 0; i < order.size(); ++i)
    numberOf[order[i]] = i;
  idom[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned node : order) {
      if (node == root)
        continue;
      unsigned meet = none;
      for (unsigned before : predecessors[node])
        if (idom[before] != none)
          meet = meet == none ? before : intersect(meet, before);
      if (idom[node] != meet) {
        idom[node] = meet;
        changed = true;
      }
    }
  }
  for (unsigned node : order)
    if (node != root)
      treeChildren[idom[node]].push_back(node);
  numberTree();
  for (unsigned node : order)
    for (unsigned before : predecessors[node]) {
      if (!isReachable(before))
        continue;
      for (unsigned runner = before; runner != idom[node] || node == root; runner = idom[runner]) {
        if (frontiers[runner].empty() || frontiers[runner].back() != node)
          frontiers[runner].push_back(node);
        if (runner == root)
          break;
      }
    }
}

unsigned Dominance::intersect(unsigned a, unsigned b) const {
  while (a != b) {
    while (numberOf[a] > numberOf[b])
      a = idom[a];
    while (numberOf[b] > numberOf[a])
      b = idom[b];
  }
  return a;
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

bool Dominance::dominates(unsigned above, unsigned below) const {
  return isReachable(above) && isReachable(below) && enterAt[above] <= enterAt[below] &&
         leaveAt[below] <= leaveAt[above];
}

} // namespace heddle::source
