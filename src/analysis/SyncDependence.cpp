// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/SyncDependence.h"

#include <algorithm>
#include <set>

namespace heddle::analysis {

SyncDependence::SyncDependence(const source::FlowGraph &graph, const LoopForest &loops)
    : graph(graph), loops(loops), postDominance(postDominatorsOf(graph)), numberOf(graph.size()) {
  for (unsigned i = 0; i < graph.reversePostorder().size(); ++i)
    numberOf[graph.reversePostorder()[i]] = i;
}

const Divergence &SyncDependence::of(unsigned branch) {
  auto [entry, isNew] = known.try_emplace(branch);
  if (isNew)
    entry->second = compute(branch);
  return entry->second;
}

/// Labels flow from the branch to its immediate post-dominator, where all threads are together again. A label
/// is the block it started from.
Divergence SyncDependence::compute(unsigned branch) const {
  unsigned together = postDominance.isReachable(branch) ? postDominance.immediateDominator(branch) : none;
  std::unordered_map<unsigned, unsigned> label;
  std::set<unsigned> joins;
  std::set<std::pair<unsigned, unsigned>> waiting; // in reverse postorder: mostly after all that comes before
  auto reach = [&](unsigned block, unsigned with) {
    auto [entry, isNew] = label.emplace(block, with);
    if (!isNew) {
      if (entry->second == with)
        return;
      joins.insert(block);
      if (entry->second == block)
        return;
      entry->second = block;
    }
    waiting.insert({numberOf[block], block});
  };
  for (unsigned next : graph.successors(branch))
    reach(next, next);
  while (!waiting.empty()) {
    unsigned block = waiting.begin()->second;
    waiting.erase(waiting.begin());
    if (block == branch || block == together)
      continue; // those that return to the branch decide again
    for (unsigned next : graph.successors(block))
      reach(next, label[block]);
  }

  Divergence result;
  result.joins.assign(joins.begin(), joins.end());
  for (unsigned loop = loops.innermost(branch); loop != none; loop = loops.loops()[loop].parent) {
    if (together != none && loops.contains(loop, together))
      break;
    if (mayLeaveApart(loops.loops()[loop], loop, branch, label))
      result.loopsLeft.push_back(loop);
  }
  return result;
}

/// Whether some threads leave the loop while others, apart from them since the branch, go on to its header.
/// Threads that return do not count: they see nothing of what is after the loop.
bool SyncDependence::mayLeaveApart(const LoopForest::Loop &loop, unsigned number, unsigned branch,
                                   const std::unordered_map<unsigned, unsigned> &label) const {
  std::set<unsigned> back, out;
  for (unsigned block : loop.blocks) {
    auto carried = label.find(block);
    if (block != branch && carried == label.end())
      continue;
    for (unsigned next : graph.successors(block)) {
      unsigned with = block == branch ? next : carried->second;
      if (next == loop.header)
        back.insert(with);
      else if (!loops.contains(number, next) && !graph.returnOf(next))
        out.insert(with);
    }
  }
  bool sameWay = back.size() == 1 && out.size() == 1 && *back.begin() == *out.begin();
  return !back.empty() && !out.empty() && !sameWay;
}

} // namespace heddle::analysis
