// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/specialize/RoleSplit.h"

namespace heddle::transform {

/// Where consumers have to meet among themselves.
///
/// The barriers of a tile loop kept not only loads and computation apart but also what threads do with other
/// memory: a histogram of the block's, say, that is added to in the loop and read after it. Full and empty
/// say nothing of that.
struct ConsumerOrder {
  std::set<const KernelNode *> before, behind;    ///< tile loops
  std::set<const KernelNode *> atFill, atRelease; ///< the same: in each iteration
};

ConsumerOrder orderOfConsumers(const RoleView &view, const RoleSplit &split);

} // namespace heddle::transform
