// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runner/Result.h"

namespace heddle::tune {

/// How far the rounds of a measurement are apart: between the quartiles, in microseconds. A model's times have no spread.
double spreadOf(const runner::Result &result);

/// Whether a candidate is faster than the baseline by more than chance: both are measured, and their medians are farther apart
/// than the rounds of either are among themselves (spreadOf), and by at least Thresholds' leastGain.
bool beats(const runner::Result &candidate, const runner::Result &baseline);

/// Whether a measured candidate computes what the baseline does, bit by bit. Where something was to be decided about that, its result
/// has a reason.
bool hasSameBits(const runner::Result &measured);

} // namespace heddle::tune
