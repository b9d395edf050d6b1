// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "divergence/Formulas.h"

#include <cstdint>

namespace heddle::divergence {

/// Distinct vectors as Greedy and Greedy-Max look at them: counts times latencies, with as few columns as can
/// be.
///
/// Blocks that all threads execute equally often add the same to every gain, and blocks with equal columns
/// always have their least and most in the same threads. So the former are left out and the latter added up:
/// what is compared stays the same, and of the dozens of blocks of a kernel a handful remains.
class WeightedVectors {
public:
  WeightedVectors(const BlockVectors &vectors, Latencies latencies);

  uint32_t size() const { return count; }
  uint32_t columns() const { return width; }
  const double *row(uint32_t index) const { return values.data() + size_t(index) * width; }
  /// (11), but for what was left out.
  double sum(uint32_t index) const { return sums[index]; }

private:
  uint32_t count = 0, width = 0;
  std::vector<double> values;
  std::vector<double> sums;
};

/// Σ 2 min - max over columns: (10), but for what was left out. Rows are given by their least and most.
inline double gainOf(const double *leastA, const double *mostA, const double *leastB, const double *mostB,
                     uint32_t columns) {
  double gain = 0;
  for (uint32_t c = 0; c < columns; ++c) {
    const double least = leastA[c] < leastB[c] ? leastA[c] : leastB[c];
    const double most = mostA[c] > mostB[c] ? mostA[c] : mostB[c];
    gain += 2 * least - most;
  }
  return gain;
}

} // namespace heddle::divergence
