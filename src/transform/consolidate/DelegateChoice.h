// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

#include <string>

namespace heddle::transform {

/// The most warps that a block of a persistent kernel has: as many as static shared memory allows,
/// and no more than `throttle` (where that is not 0).
unsigned warpsOfBlock(Context &context, unsigned throttle);

/// Whether `delegate=auto` makes the kernel persistent, and why.
struct DelegateChoice {
  bool isWorthIt = false;
  std::string reason;
};
DelegateChoice chooseDelegation(Context &context);

} // namespace heddle::transform
