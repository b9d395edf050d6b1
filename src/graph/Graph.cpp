// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without recursion, here and in this whole folder: a kernel of megabytes of PTX has a depth-first search that is
// deeper than a stack.
#include "graph/Graph.h"

#include <algorithm>
#include <utility>

namespace heddle::graph {

void appendPostorder(const Adjacency &successors, unsigned root, std::vector<bool> &seen,
                     std::vector<unsigned> &order) {
  std::vector<std::pair<unsigned, size_t>> path = {{root, 0}};
  seen[root] = true;
  while (!path.empty()) {
    auto &[node, next] = path.back();
    if (next == successors[node].size()) {
      order.push_back(node);
      path.pop_back();
      continue;
    }
    const unsigned successor = successors[node][successors[node].size() - ++next];
    if (!seen[successor]) {
      seen[successor] = true;
      path.push_back({successor, 0});
    }
  }
}

std::vector<unsigned> reversePostorder(const Adjacency &successors, unsigned root) {
  std::vector<unsigned> order;
  std::vector<bool> seen(successors.size());
  appendPostorder(successors, root, seen, order);
  std::reverse(order.begin(), order.end());
  return order;
}

} // namespace heddle::graph
