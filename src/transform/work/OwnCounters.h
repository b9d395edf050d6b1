// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Gives loops around barriers a counter of their own where theirs is also used for something else.
///
///     k = threadIdx.x + 32 * threadIdx.y;             k = threadIdx.x + 32 * threadIdx.y;
///     ...                                       =>    ...
///     for (k = 0; k < n; k++) { ... }                 for (int k = 0; k < n; k++) { ... }
///
/// Older code declares one `k` and uses it for all that is counted. The loop's must be the same for all
/// threads, the other need not. Only where nothing outside reads what the loop leaves in it.
std::optional<Needs> giveLoopsTheirCounters(Context &context, const Kernel &kernel);

} // namespace heddle::transform
