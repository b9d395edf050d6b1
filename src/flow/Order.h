// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order of a program's operations that keeps few values alive at a time. Registers decide how fast a
// kernel with thousands of operations runs, and compilers hardly move operations that far.
#pragma once

#include "flow/Program.h"

namespace heddle::flow {

/// The operations with contributions, in an order found greedily: the next one is that which needs the fewest
/// new values and lets the most go; among equals, one that works on values close to their end. Stages
/// (Stages.h) follow each other.
std::vector<unsigned> orderForFewLiveValues(const Program &program);

/// The largest number of values and sums that are alive at once when operations are done in this order and
/// pure operations just before their first use.
unsigned mostAlive(const Program &program, const std::vector<unsigned> &order);

} // namespace heddle::flow
