// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::vm {

/// Which clusters of a launch are executed if not all are: one of each of `taken` equal parts of the grid, always the same ones. Where in its
/// part each one is differs from part to part by the golden ratio, so that no column of a grid is preferred.
struct BlockSample {
  uint64_t all = 0, taken = 0;

  /// `most` 0: all of them.
  static BlockSample of(uint64_t all, uint64_t most) { return {all, most ? std::min(all, most) : all}; }

  /// The index in the grid, which rises with `ordinal`.
  uint64_t at(uint64_t ordinal) const {
    if (taken == all)
      return ordinal;
    const uint64_t begin = part(ordinal), size = part(ordinal + 1) - begin;
    const uint64_t fraction = (ordinal + 1) * 0x9e3779b97f4a7c15u; // of 2^64
    return begin + uint64_t((unsigned __int128)(size)*fraction >> 64);
  }

private:
  uint64_t part(uint64_t ordinal) const { return uint64_t((unsigned __int128)(all)*ordinal / taken); }
};

} // namespace heddle::vm
