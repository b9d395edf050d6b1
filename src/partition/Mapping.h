// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which warp does what: each operation that is not replicated has one warp, each sum the warps that want it
// whole.
#pragma once

#include "partition/Graph.h"

namespace heddle::partition {

inline constexpr unsigned everyWarp = ~0u; ///< of replicated operations, and of those that are not needed

struct Mapping {
  std::vector<unsigned> warpOf;               ///< of each operation
  std::vector<std::vector<unsigned>> closers; ///< of each sum, in rising order; one for a result

  /// The warp that has a term's value in its registers; everyWarp for what all have.
  unsigned warpOfTerm(const Graph &graph, const Term &term) const {
    const std::optional<unsigned> home = graph.homeOf(term);
    return home ? warpOf[*home] : everyWarp;
  }
};

Mapping mapToWarps(const Graph &graph, const PartitionOptions &options);

} // namespace heddle::partition
