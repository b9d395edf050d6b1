// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/LoopForest.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace heddle::analysis {

/// Where threads that diverge at a branch come together again.
struct Divergence {
  /// Blocks that threads reach by ways that have been apart since the branch: values that meet there differ.
  std::vector<unsigned> joins;
  /// Loops that some threads leave while others go on: what such a loop computed differs after it.
  std::vector<unsigned> loopsLeft;
};

/// Answers, for each branch of a flow graph, what diverges if the branch does.
///
/// Works as SSA construction does for a variable that is given another value on each way out of the branch:
/// labels flow forward, and a block where two labels meet is a join and goes on with a label of its own.
class SyncDependence {
public:
  SyncDependence(const source::FlowGraph &graph, const LoopForest &loops);
  const Divergence &of(unsigned branch);

private:
  static constexpr unsigned none = LoopForest::none;
  Divergence compute(unsigned branch) const;
  bool mayLeaveApart(const LoopForest::Loop &loop, unsigned number, unsigned branch,
                     const std::unordered_map<unsigned, unsigned> &label) const;

  const source::FlowGraph &graph;
  const LoopForest &loops;
  graph::Dominance postDominance;
  std::vector<unsigned> numberOf;
  std::map<unsigned, Divergence> known;
};

} // namespace heddle::analysis
