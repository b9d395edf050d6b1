// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a person or a tuner may ask of weaving. Any number of warps and any choice gives a correct plan; what
// differs is how quick it is.
#pragma once

#include <vector>

namespace heddle::weave {

/// What one multiprocessor has for all its blocks. The defaults are those of sm_90.
struct Multiprocessor {
  unsigned sharedBytes = 228 * 1024;
  unsigned sharedBytesKept = 1024; ///< by the system, of each block
  unsigned registers = 64 * 1024;
  unsigned registersOfThread = 255; ///< at most
  unsigned barriers = 16;
};

/// What an operation's place is judged by.
struct Weights {
  double flops = 1;     ///< warps have the same work to do at every level
  double registers = 1; ///< warps hold the same number of values
  double locality = 1;  ///< few values and partial sums go from warp to warp
  double shapes = 4;    ///< warps do operations of the same shapes, so that their code is the same
};

/// Prices in instructions of one warp, for what is not an instruction.
struct Prices {
  double access = 4; ///< a row written or read: 256 bytes at 128 a cycle, against two FP64 warps a cycle
  double wait = 64;  ///< a point, for each warp that waits
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

struct WeaveOptions {
  unsigned warps = 8; ///< of a block
  unsigned ctas = 2;  ///< blocks that are to fit a multiprocessor
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
  Multiprocessor machine;

  /// Rows of 32 doubles that the budget of shared memory leaves a block.
  unsigned rowBudget() const;
  /// Registers that a thread can have without keeping a block from its multiprocessor.
  unsigned registerBudget() const;
  /// Numbers of barriers that a block can have, 0 among them.
  unsigned barrierBudget() const;
};

} // namespace heddle::weave
