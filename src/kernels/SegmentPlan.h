// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a segment's text says in which order, before any of it is written. Pure operations are just before their first
// use; what they load from memory is some way ahead of that, as far as memory takes to answer, and so do
// sums that segments before have left.
#pragma once

#include "flow/Segments.h"
#include "kernels/Exponents.h"

namespace heddle::kernels {

/// An operation of the segment, and what goes before it, in this order.
struct PlannedOperation {
  std::vector<unsigned> loads;  ///< pure operations whose fields are loaded here
  std::vector<unsigned> totals; ///< operations whose totals are loaded here
  std::vector<unsigned> pure;   ///< operations that this is the first to need
  unsigned operation = 0;
};

struct SegmentPlan {
  std::vector<PlannedOperation> operations;
  std::vector<bool> wanted; ///< values that something in the segment reads

  /// All operations as they follow each other.
  std::vector<unsigned> sequence() const;
};

SegmentPlan planSegment(const flow::Program &program, const flow::Segment &segment,
                        const TemperaturePowers &powers);

} // namespace heddle::kernels
