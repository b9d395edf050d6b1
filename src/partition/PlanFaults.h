// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proves that lists of steps compute the program in every order in which the warps may run, from nothing but
// the lists: it shares no thought with what makes them. Every plan is looked at before it is given away.
#pragma once

#include "partition/WarpPrograms.h"

#include <string>

namespace heddle::partition {

/// What is wrong, a sentence each that names the steps; empty when nothing is:
///   - all waits end (see orderFault), and the last step of every warp is to wait at the last point, of all
///   warps;
///   - points with the same barrier do not interfere, and barriers are fewer than `barriers`;
///   - every row that is read holds what is wanted, written before by the order that points give, and is not
///     written again before it has been read;
///   - every operation finds its inputs in registers and its totals closed;
///   - every closed sum holds each of its terms once, and every result is closed once.
std::vector<std::string> findFaults(const flow::Program &program, const Partitioned &partitioned,
                                    unsigned barriers);

} // namespace heddle::partition
