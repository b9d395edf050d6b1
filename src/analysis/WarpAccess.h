// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Accesses.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::analysis {

/// How the 32 lanes of a warp reach memory in one access.
struct WarpAccess {
  /// Elements between neighbours in x; nothing where it is not one constant.
  std::optional<int64_t> stride;
  /// Global memory: 32-byte sectors the warp touches, if `condition` holds, and the fewest that would hold as many distinct
  /// bytes. No `sectors` where no condition was found by which they are one number.
  std::optional<unsigned> sectors, fewestSectors;
  /// The numbers that are possible whether or not it holds.
  std::optional<unsigned> leastSectors, mostSectors;
  /// "w is a multiple of 8"; empty: always.
  std::string condition;
  /// "2 rows of 64 bytes, n elements apart", where distances between lanes are not all known.
  std::string rows;
  /// Shared memory: how many rounds the warp's access takes; 1 is free of conflicts.
  std::optional<unsigned> bankConflicts;
  /// Why there is no number.
  std::string reason;

  bool isOneAddress = false; ///< of all lanes
  bool isCoalesced() const { return sectors && sectors == fewestSectors; }
};

/// A warp of a block, lanes counted through x first, the first one where they differ. Arrays start at a multiple of 32 bytes. For
/// a block of unknown shape 32 lanes along x are taken. Guards are not looked at: this is a warp with all its lanes on. Rows that a
/// parameter separates do not overlap.
///
/// Bank rule (all GPUs since compute capability 5.0): 32 banks of 4 bytes; lanes that want different words of
/// one bank wait for each other, the same word is free; accesses of 8 and 16 bytes go in halves and quarters
/// of a warp.
WarpAccess warpAccess(const Accesses &accesses, const Access &access);

} // namespace heddle::analysis
