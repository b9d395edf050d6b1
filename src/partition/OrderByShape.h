// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of one shape side by side. Between two synchronization points per warp may do its operations in
// any order in which each finds its inputs; if all warps do those of the commonest shapes first, they do the
// same most of the time.
#pragma once

#include "partition/WarpPrograms.h"

namespace heddle::partition {

/// All warps' steps, in an order that is right for the same reasons as the one before.
Partitioned orderByShape(const flow::Program &program, Partitioned partitioned);

} // namespace heddle::partition
