// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tune/Gain.h"

#include "model/Thresholds.h"

#include <algorithm>

namespace heddle::tune {

using model::threshold::tune::leastGain;
using runner::Status;

double spreadOf(const runner::Result &result) { return std::max(0.0, result.q3 - result.q1); }

bool beats(const runner::Result &candidate, const runner::Result &baseline) {
  if (candidate.status != Status::Measured || baseline.status != Status::Measured)
    return false;
  const double chance = std::max({spreadOf(candidate), spreadOf(baseline), leastGain * baseline.micros});
  return baseline.micros - candidate.micros > chance;
}

bool hasSameBits(const runner::Result &measured) { return measured.reason.empty(); }

} // namespace heddle::tune
