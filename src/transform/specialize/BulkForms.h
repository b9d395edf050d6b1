// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/specialize/CopyForm.h"

#include <cstdint>

namespace heddle::transform {

/// The rows that a store with this form fills, taken over all threads and iterations; or why bulk copies
/// cannot bring them.
///
/// Wanted: subscripts that are a loop's variable or a thread's index each (perhaps plus a constant), which
/// together run over whole rows; a global index that grows by one along a row; and guards that are
/// comparisons of sums, so that what holds at the corners of the tile holds in all of it.
std::variant<BulkForm, std::string> bulkForm(const RoleView &view, const RoleSplit &split,
                                             const CopyForm &form, const std::array<int64_t, 3> &block);

/// The loop runs over 0 to a constant, each value taken by exactly one thread of the block:
/// `for (int i = threadIdx.x; i < 512; i += blockDim.x)`.
struct DistributedLoop {
  analysis::CountedLoop loop;
  int64_t count = 0;
};
std::optional<DistributedLoop> distributedLoop(const RoleView &view, const clang::Stmt *statement,
                                               const std::array<int64_t, 3> &block);

} // namespace heddle::transform
