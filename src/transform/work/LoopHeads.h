// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "transform/Context.h"

namespace heddle::transform {

/// Takes variables that differ by thread out of the heads of loops around barriers, where the loop itself is
/// counted by one that all threads agree on:
///
///     for (int i = 0, j = threadIdx.x; i < n; i += 64, j += 64) {        int j = threadIdx.x;
///       ...                                                        =>    for (int i = 0; i < n; i += 64) {
///     }                                                                    ...
///                                                                          j += 64;
///                                                                        }
///
/// Transforms that decide statement by statement would take the whole head to differ. Where a head cannot be
/// taken apart it stays.
std::optional<Needs> splitLoopHeads(Context &context, const Kernel &kernel);

} // namespace heddle::transform
