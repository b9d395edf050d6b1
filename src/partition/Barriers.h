// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives points the numbers of the hardware's named barriers.
//
// A barrier counts warps, and begins again when as many have come as its point has. Two points may have the
// same number only if the first is complete, in every run, before anybody comes to the second; else a warp of
// the second would be counted for the first.
#pragma once

#include "partition/HappensBefore.h"

namespace heddle::partition {

/// Could a warp come to point `second` before `first` is complete?
bool interfere(const Partitioned &partitioned, const HappensBefore &order, unsigned first, unsigned second);

/// Numbers from 0 to count - 1; 0 is that of the last point. Where they do not suffice, points become waits
/// of all warps, after which every number is free. Returns how many points that took.
unsigned allocateBarriers(Partitioned &partitioned, unsigned count);

} // namespace heddle::partition
