// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "counts/LaunchFacts.h"

namespace heddle::counts {

/// Floating-point operations of a launch, as rooflines count them: an addition, a product, a division, a root or a function of
/// the special-function unit is one, a fused multiply-add two, of each lane that executes it. Comparisons and conversions are
/// none. What tensor cores do is not among them, nor what is done inside library functions that the compiler calls.
struct FloatOperations {
  double half = 0, single = 0, fp64 = 0;
  double calls = 0; ///< of functions that were not inlined, by warps

  double all() const { return half + single + fp64; }
};
FloatOperations floatOperations(const LaunchFacts &launch);

} // namespace heddle::counts
