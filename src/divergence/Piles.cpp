// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As for a k-d tree: the rows are cut in two halves by the column in which they are furthest apart, and each
// half again. Every other half is turned around, so that neighbours in the list of piles are neighbours in
// space.
#include "divergence/Piles.h"

#include <algorithm>

namespace heddle::divergence {
namespace {

/// Cycles between the least and the most would be led by one odd row: the mean distance from the mean is not.
uint32_t widestColumn(const WeightedVectors &vectors, std::span<const uint32_t> rows) {
  uint32_t widest = 0;
  double most = -1;
  for (uint32_t c = 0; c < vectors.columns(); ++c) {
    double mean = 0, spread = 0;
    for (uint32_t r : rows)
      mean += vectors.row(r)[c];
    mean /= double(rows.size());
    for (uint32_t r : rows)
      spread += std::abs(vectors.row(r)[c] - mean);
    if (spread > most)
      most = spread, widest = c;
  }
  return widest;
}

void cut(const WeightedVectors &vectors, std::span<uint32_t> rows, uint32_t most, bool rising,
         std::vector<std::vector<uint32_t>> &piles) {
  if (rows.size() <= most) {
    piles.emplace_back(rows.begin(), rows.end());
    return;
  }
  const uint32_t column = widestColumn(vectors, rows);
  auto key = [&](uint32_t r) { return rising ? vectors.row(r)[column] : -vectors.row(r)[column]; };
  const size_t half = rows.size() / 2;
  std::nth_element(rows.begin(), rows.begin() + long(half), rows.end(),
                   [&](uint32_t a, uint32_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
  cut(vectors, rows.first(half), most, true, piles);
  cut(vectors, rows.subspan(half), most, false, piles);
}

} // namespace

std::vector<std::vector<uint32_t>> pilesOf(const WeightedVectors &vectors, std::vector<uint32_t> rows,
                                           uint32_t most) {
  std::vector<std::vector<uint32_t>> piles;
  cut(vectors, rows, std::max(1u, most), true, piles);
  return piles;
}

} // namespace heddle::divergence
