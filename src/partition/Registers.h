// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many registers the steps of each warp need, about.
#pragma once

#include "partition/WarpPrograms.h"

namespace heddle::partition {

/// The largest number of values and partial sums that a warp must keep at a time. A value whose row is not written
/// again counts only where it is used: it can be read once more instead.
unsigned mostKept(const flow::Program &program, const Partitioned &partitioned, unsigned warp);

/// Registers of a thread that keeps so many: two each, and what addresses and the inside of operations take.
unsigned registersFor(unsigned kept);

} // namespace heddle::partition
