// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to go from warp to warp under a mapping: values, and partial sums. And the phases that follow: an
// operation's phase is the number of times that data must have changed warps before it can be done.
#pragma once

#include "partition/Mapping.h"

namespace heddle::partition {

/// A value, or the partial of a sum that one warp has, to all warps that want it.
struct Transfer {
  bool isPartial = false;
  unsigned value = 0, sum = 0;
  unsigned from = 0;
  std::vector<unsigned> readers; ///< warps, in rising order
  unsigned uses = 0;             ///< operations and sums that want it in other warps
  unsigned boundary = 0;         ///< it is sent at the end of this phase
};

struct Transfers {
  std::vector<Transfer> list;
  unsigned phases = 1;
  std::vector<unsigned> phaseOf; ///< of each operation; 0 for those that are not mapped
  /// addedBy[sum][term]: the warps that add the term to their partial: the one that has it, or all that close
  /// the sum.
  std::vector<std::vector<std::vector<unsigned>>> addedBy;
};

Transfers findTransfers(const Graph &graph, const Mapping &mapping, const PartitionOptions &options);

} // namespace heddle::partition
