// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that wait in shared memory while loops take powers. A value that is read before and after a loop would be
// in a register during the loop. With too few free registers, compilers compute the powers of a loop one after the
// other, although their steps could alternate.
#pragma once

#include "kernels/SegmentPlan.h"

namespace heddle::kernels {

/// A batch is what is between two rounds of loops.
struct ParkedValues {
  std::vector<unsigned> batchOf;     ///< each operation of the segment
  std::map<unsigned, unsigned> rows; ///< of values: a row is reused after the batch that reads its value last
  unsigned rowCount = 0;

  bool has(unsigned value) const { return rows.contains(value); }
};

/// Takes at most `mostRows` rows. Functions of temperature alone that everything reads, and what `isInside` holds
/// for, are not values that can wait.
ParkedValues parkValues(const flow::Program &program, const SegmentPlan &plan,
                        const TemperaturePowers &powers, const LoopPlan &loops,
                        const std::vector<bool> &isInside, unsigned mostRows);

} // namespace heddle::kernels
