// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a person or a tuner may ask of partitioning. Any number of warps and any choice gives a correct plan; what
// differs is how quick it is.
#pragma once

#include "arch/Common.h"
#include "model/Thresholds.h"

#include <vector>

namespace heddle::partition {

/// What one multiprocessor has for all its blocks: that of the default architecture.
struct Multiprocessor {
  unsigned sharedBytes = arch::defaultArch().sharedBytesPerSm;
  /// By the system, of each block.
  unsigned sharedBytesKept = arch::defaultArch().reservedSharedBytesPerBlock;
  unsigned registers = arch::defaultArch().registersPerSm;
  /// At most; a multiple of registerUnit.
  unsigned registersOfThread = arch::defaultArch().maxRegistersPerThread;
  unsigned registerUnit = arch::defaultArch().registerAllocationUnit / arch::defaultArch().warpSize;
  unsigned barriers = arch::defaultArch().namedBarriersPerBlock;
  unsigned warpsOfBlock = arch::defaultArch().maxThreadsPerBlock / arch::defaultArch().warpSize;
};

/// What decides the warp of an operation.
struct Weights {
  /// Warps have the same work to do at every level.
  double flops = model::threshold::partition::workWeight;
  /// Warps hold the same number of values.
  double registers = model::threshold::partition::registerWeight;
  /// Few values and partial sums go from warp to warp.
  double locality = model::threshold::partition::localityWeight;
  /// Warps do operations of the same shapes, so that their code is the same.
  double shapes = model::threshold::partition::shapeWeight;
};

/// Prices in instructions of one warp, for what is not an instruction.
struct Prices {
  double access = model::threshold::partition::accessPrice; ///< a row written or read
  double wait = model::threshold::partition::waitPrice;     ///< a point, for each warp that waits
};

/// How rows of shared memory are used.
enum class Placement {
  Store,  ///< each value has a row of its own
  Buffer, ///< values stay in registers and pass through a few rows
  Mixed,  ///< values that several warps read have rows of their own, the rest pass through the others
};

/// What goes from warp to warp for a sum.
enum class SumExchange {
  Choose,   ///< whichever needs fewer accesses
  Partials, ///< what each warp has added up
  Values,   ///< what is to be added up
};

struct PartitionOptions {
  unsigned warps = model::threshold::partition::warps;      ///< of a block
  unsigned ctas = model::threshold::partition::blocksPerSm; ///< blocks that are to fit a multiprocessor
  Weights weights;
  Prices prices;
  Placement placement = Placement::Mixed;
  SumExchange sums = SumExchange::Choose;
  bool replicate = true;         ///< let all warps do what is cheap and early, each for itself
  unsigned bufferRows = 0;       ///< rows that values pass through; 0: what the budget leaves
  unsigned otherSharedBytes = 0; ///< that a block needs for other things
  /// A number for each operation, 0 for those that may go anywhere; none: 0 for all.
  std::vector<unsigned> groups;
  /// groupWarps[g - 1] warps are for the operations of group g. They do other work too where they have time.
  std::vector<unsigned> groupWarps;
  Multiprocessor multiprocessor;

  /// Rows of 32 doubles that the budget of shared memory leaves a block.
  unsigned rowBudget() const;
  /// Registers that a thread can have without keeping a block from its multiprocessor.
  unsigned registerBudget() const;
  /// Numbers of barriers that a block can have, 0 among them.
  unsigned barrierBudget() const;
};

} // namespace heddle::partition
