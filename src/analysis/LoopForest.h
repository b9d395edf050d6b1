// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "graph/Dominance.h"
#include "source/FlowGraph.h"

#include <vector>

namespace heddle::analysis {

/// The natural loops of a flow graph and how they nest.
class LoopForest {
public:
  static constexpr unsigned none = ~0u;
  struct Loop {
    unsigned header = 0;
    unsigned parent = none;
    std::vector<unsigned> blocks;
  };

  LoopForest(const source::FlowGraph &graph, const graph::Dominance &dominance);

  const std::vector<Loop> &loops() const { return list; }
  /// The innermost loop around a block.
  unsigned innermost(unsigned block) const { return innermostOf[block]; }
  bool contains(unsigned loop, unsigned block) const;
  /// True where some cycle has several ways in (goto); then there is more repetition than loops() says.
  bool isIrreducible() const { return irreducible; }

private:
  void addLoop(const source::FlowGraph &graph, unsigned header, std::vector<unsigned> latches);
  std::vector<Loop> list;
  std::vector<unsigned> innermostOf;
  bool irreducible = false;
};

graph::Dominance dominatorsOf(const source::FlowGraph &graph);
/// Post-dominators; its frontiers are control dependences. Where `ignoreEarlyReturns`, threads that return
/// before the end are as if they had never been: a branch that guards a return decides nothing for the
/// others.
graph::Dominance postDominatorsOf(const source::FlowGraph &graph, bool ignoreEarlyReturns = false);

} // namespace heddle::analysis
