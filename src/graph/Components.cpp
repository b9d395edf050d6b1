// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// R. Tarjan, "Depth-first search and linear graph algorithms" (1972). A depth-first search numbers nodes as it
// enters them. A node from which no edge leads back to one that was entered before it is the first of its
// component; the component is what was entered since and belongs to none yet. Components are complete in an
// order in which each follows all that it leads to, so the list is reversed at the end.
#include "graph/Components.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace heddle::graph {

static constexpr unsigned Unseen = 0, NoNode = ~0u;

ComponentFinder::ComponentFinder(size_t nodes, Successors successors)
    : successors(std::move(successors)), part(nodes), number(nodes), low(nodes), isOpen(nodes) {}

Adjacency ComponentFinder::of(std::span<const unsigned> nodes) {
  ++parts;
  entered = 0;
  for (unsigned node : nodes) {
    part[node] = parts;
    number[node] = Unseen;
  }
  for (unsigned node : nodes)
    if (number[node] == Unseen)
      search(node);
  std::reverse(found.begin(), found.end());
  return std::exchange(found, {});
}

void ComponentFinder::search(unsigned root) {
  enter(root);
  while (!path.empty()) {
    auto &[node, next] = path.back();
    if (const unsigned inner = unseenSuccessor(node, next); inner != NoNode) {
      enter(inner);
      continue;
    }
    const unsigned done = node;
    path.pop_back();
    if (!path.empty())
      low[path.back().first] = std::min(low[path.back().first], low[done]);
    leave(done);
  }
}

/// Goes on to the next successor that was not entered yet, past those that were.
unsigned ComponentFinder::unseenSuccessor(unsigned node, size_t &next) {
  for (const std::span<const unsigned> all = successors(node); next < all.size();) {
    const unsigned to = all[next++];
    if (part[to] != parts)
      continue;
    if (number[to] == Unseen)
      return to;
    if (isOpen[to])
      low[node] = std::min(low[node], number[to]);
  }
  return NoNode;
}

void ComponentFinder::enter(unsigned node) {
  number[node] = low[node] = ++entered;
  open.push_back(node);
  isOpen[node] = true;
  path.push_back({node, 0});
}

void ComponentFinder::leave(unsigned node) {
  if (low[node] != number[node])
    return;
  const auto begin = std::ranges::find(open.rbegin(), open.rend(), node).base() - 1;
  found.emplace_back(begin, open.end());
  open.erase(begin, open.end());
  for (unsigned member : found.back())
    isOpen[member] = false;
}

Adjacency components(const Adjacency &successors) {
  std::vector<unsigned> all(successors.size());
  std::iota(all.begin(), all.end(), 0u);
  return ComponentFinder(all.size(), [&](unsigned node) { return std::span(successors[node]); }).of(all);
}

} // namespace heddle::graph
