// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that wait in shared memory while loops take powers. A value that is read before and after a loop would be
// in a register during the loop. With too few free registers, compilers compute the powers of a loop one after the
// other, although their steps could alternate.
#pragma once

#include "kernels/SegmentPlan.h"

namespace heddle::kernels {

/// A batch is what is between two rounds of loops.
struct SharedSpills {
  std::vector<unsigned> batchOf;     ///< each operation of the segment
  std::map<unsigned, unsigned> rows; ///< of values: a row is reused after the batch that reads its value last
  std::map<unsigned, unsigned> sums; ///< rows of sums that are added to before and after loops
  std::map<unsigned, unsigned> totals; ///< rows of sums that earlier segments have left
  unsigned rowCount = 0;
  /// Of each batch but the first: values that stay in registers during the loops before it.
  std::vector<unsigned> inRegisters;

  bool has(unsigned value) const { return rows.contains(value); }
};

struct SpillLimits {
  unsigned mostRows = 0;
  unsigned mostInRegisters = 0; ///< values that may stay in registers during a loop; no more wait than needed
};

/// Functions of temperature alone that everything reads, and what `isInside` holds for, are not values that can wait.
SharedSpills spillToShared(const flow::Program &program, const SegmentPlan &plan,
                           const TemperaturePowers &powers, const LoopPlan &loops,
                           const std::vector<bool> &isInside, const SpillLimits &limits);

} // namespace heddle::kernels
