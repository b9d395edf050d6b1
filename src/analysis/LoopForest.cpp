// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/LoopForest.h"

#include <algorithm>

namespace heddle::analysis {

graph::Dominance dominatorsOf(const source::FlowGraph &graph) {
  graph::Adjacency successors(graph.size()), predecessors(graph.size());
  for (unsigned block : graph.reversePostorder()) {
    successors[block] = graph.successors(block);
    predecessors[block] = graph.predecessors(block);
  }
  return {successors, predecessors, graph.entry()};
}

graph::Dominance postDominatorsOf(const source::FlowGraph &graph, bool ignoreEarlyReturns) {
  graph::Adjacency backward(graph.size()), forward(graph.size());
  for (unsigned block : graph.reversePostorder()) {
    if (ignoreEarlyReturns && graph.returnOf(block))
      continue;
    for (unsigned next : graph.successors(block)) {
      backward[next].push_back(block);
      forward[block].push_back(next);
    }
  }
  return {backward, forward, graph.exit()};
}

LoopForest::LoopForest(const source::FlowGraph &graph, const graph::Dominance &dominance)
    : innermostOf(graph.size(), none) {
  std::vector<unsigned> numberOf(graph.size());
  const auto &order = graph.reversePostorder();
  for (unsigned i = 0; i < order.size(); ++i)
    numberOf[order[i]] = i;
  // Outer headers come first in reverse postorder, so an inner loop overwrites `innermostOf` of an outer one.
  for (unsigned header : order) {
    std::vector<unsigned> latches;
    for (unsigned before : graph.predecessors(header)) {
      if (numberOf[before] < numberOf[header])
        continue;
      if (dominance.dominates(header, before))
        latches.push_back(before);
      else
        irreducible = true;
    }
    if (!latches.empty())
      addLoop(graph, header, std::move(latches));
  }
}

void LoopForest::addLoop(const source::FlowGraph &graph, unsigned header, std::vector<unsigned> latches) {
  Loop loop;
  loop.header = header;
  loop.parent = innermostOf[header];
  unsigned number = unsigned(list.size());
  std::vector<bool> seen(graph.size());
  seen[header] = true;
  loop.blocks.push_back(header);
  std::vector<unsigned> pending = std::move(latches);
  while (!pending.empty()) {
    unsigned block = pending.back();
    pending.pop_back();
    if (seen[block])
      continue;
    seen[block] = true;
    loop.blocks.push_back(block);
    for (unsigned before : graph.predecessors(block))
      pending.push_back(before);
  }
  for (unsigned block : loop.blocks)
    innermostOf[block] = number;
  list.push_back(std::move(loop));
}

bool LoopForest::contains(unsigned loop, unsigned block) const {
  for (unsigned at = innermostOf[block]; at != none; at = list[at].parent)
    if (at == loop)
      return true;
  return false;
}

} // namespace heddle::analysis
