// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What partitioning makes of a program: a list of steps for each warp of a block. Lane l of every warp works on
// the l-th of the block's 32 points; values go from warp to warp through rows of shared memory, 32 doubles
// each, and synchronization points say when a row may be read and when it may be written again.
//
// The lists are complete: who runs them in any order that the points allow gets the program's results. They
// say nothing yet of how code looks; Overlay.h lays the lists of all warps over each other.
#pragma once

#include "flow/Program.h"

#include <vector>

namespace heddle::partition {

enum class StepKind {
  Do,         ///< all of an operation's code; what it reads is in this warp's registers
  Put,        ///< a value in this warp's registers into a row
  Get,        ///< a row into this warp's registers, as the value it holds
  Accumulate, ///< this warp's partial of a sum += coefficient * value, or += operand constant
  PutPartial, ///< this warp's partial of a sum into a row; the warp has no more to do with that sum
  AddPartial, ///< this warp's partial of a sum += a row that another warp has put its own in
  Close,  ///< this warp's partial is the whole sum from here on: Totals of it can be done, a result is stored
  Arrive, ///< at a synchronization point, without waiting
  Wait,   ///< at a synchronization point, for all others of it
};

struct Step {
  StepKind kind = StepKind::Do;
  unsigned operation = 0; ///< Do
  unsigned value = 0;     ///< Put, Get
  unsigned row = 0;       ///< Put, Get, PutPartial, AddPartial
  unsigned sum = 0;       ///< Accumulate, PutPartial, AddPartial, Close
  double coefficient = 1; ///< Accumulate
  flow::Operand term;     ///< Accumulate
  unsigned point = 0;     ///< Arrive, Wait: index into Partitioned::points
};

/// Some warps say that they are ready, others wait for them. A warp that does both waits.
struct SyncPoint {
  std::vector<unsigned> arriving, waiting; ///< warps, each in one of the two lists
  unsigned barrier = 0;                    ///< the hardware's number, 0 to 15

  unsigned threads() const { return 32 * unsigned(arriving.size() + waiting.size()); }
};

/// The same steps are done again for each 32 points; the last step of every warp is to wait at a point of all
/// warps, after which rows may be written again.
struct Partitioned {
  std::vector<std::vector<Step>> warps;
  std::vector<SyncPoint> points; ///< in the linear order that every warp obeys
  unsigned rows = 0;             ///< of shared memory
};

} // namespace heddle::partition
