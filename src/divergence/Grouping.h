// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the two greedy algorithms have in common: pieces of buckets in, full groups out.
#pragma once

#include "divergence/Weighted.h"

#include <cstdint>
#include <vector>

namespace heddle::divergence {

/// Some threads of one bucket: `count` of them from `first` in it.
struct Piece {
  uint32_t row = 0, first = 0, count = 0;
};

/// Pieces that belong together. `size` threads in all.
struct Group {
  std::vector<Piece> pieces;
  uint32_t size = 0;

  void add(const Piece &piece) {
    if (piece.count)
      pieces.push_back(piece), size += piece.count;
  }
  /// Takes the last `count` threads off.
  std::vector<Piece> takeLast(uint32_t count);
};

struct GroupingInput {
  const WeightedVectors &vectors;
  const std::vector<uint32_t> &firstThread; ///< the lowest of each row, by which ties are broken
  uint32_t groupSize;
  uint32_t window = ~0u; ///< Greedy-Max: candidates that are looked at
};

/// Algorithm 1 on pieces: full groups in the order in which they are made. What does not fill a group is the
/// last one.
std::vector<Group> greedy(const GroupingInput &input, std::vector<Piece> pieces);
/// Algorithm 2 on pieces: groups in the order of their longest thread.
std::vector<Group> greedyMax(const GroupingInput &input, std::vector<Piece> pieces);

} // namespace heddle::divergence
