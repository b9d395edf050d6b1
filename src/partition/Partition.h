// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a program to a list of steps for each warp of a block.
#pragma once

#include "partition/Options.h"
#include "partition/WarpPrograms.h"
#include "support/Diagnostics.h"

namespace heddle::partition {

/// Works for 1 to 32 warps and any choice of options, and gives the same plan for the same program and
/// options. Warns where rows or registers do not suffice for what was asked, and refuses what is out of
/// reach.
std::optional<Partitioned> partitionWarps(const flow::Program &program, const PartitionOptions &options,
                                          Diagnostics &diagnostics);

} // namespace heddle::partition
