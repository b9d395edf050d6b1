// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts a long program into segments whose code fits an instruction cache. Each segment does the pure
// operations that it needs itself, so segments have nothing in common but fields and sums; the price is work
// done several times, and the cuts are chosen where that is least.
#pragma once

#include "flow/Program.h"

namespace heddle::flow {

/// A stretch of the order, with the pure operations that it needs.
struct Segment {
  std::vector<unsigned> operations; ///< with contributions, in order
  std::vector<unsigned> pure;       ///< in an order in which each finds its inputs
  unsigned instructions = 0;        ///< about
};

/// No segment gets more than `limit` instructions unless a single operation alone does, and none more than
/// one stage (Stages.h).
std::vector<Segment> cutIntoSegments(const Program &program, const std::vector<unsigned> &order,
                                     unsigned limit);

} // namespace heddle::flow
