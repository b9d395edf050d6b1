// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"

namespace heddle::analysis {

/// How many loads a thread of a kernel executes, as compilers leave them: counts to compare two forms of a kernel by, not
/// to predict a time from. A loop whose trip count is unknown weighs alike in both.
///
///     for (int kx = 0; kx < 2; ++kx)             tile[threadIdx.y][k] is loaded once for both iterations,
///       sum[kx] += tile[threadIdx.y][k] *        other[k][...] twice
///                  other[k][2 * threadIdx.x + kx];
struct LoadsPerThread {
  static LoadsPerThread of(const Accesses &accesses);

  double shared = 0, global = 0;
};

} // namespace heddle::analysis
