// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that are mapped together, and the level of each: when it is done, counted in changes of warps.
#pragma once

#include "partition/Graph.h"

namespace heddle::partition {

struct Unit {
  std::vector<unsigned> operations; ///< in the program's order
  unsigned cost = 0;
  unsigned kind = 0;   ///< the same for units whose operations have the same levels and shapes
  unsigned group = 0;  ///< see PartitionOptions
  bool isRead = false; ///< another unit waits for it
};

struct Units {
  std::vector<Unit> list;
  std::vector<unsigned> of;      ///< the unit of each mapped operation
  std::vector<unsigned> levelOf; ///< each mapped operation
  unsigned levels = 0;
};

Units makeUnits(const Graph &graph, const PartitionOptions &options);

} // namespace heddle::partition
