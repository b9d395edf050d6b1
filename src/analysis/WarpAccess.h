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
  /// Shared memory: in how many rounds lanes get their words where one would suffice; 1 is free of conflicts.
  std::optional<unsigned> bankConflicts;
  /// All passes over the banks: an access of 8 bytes takes at least two, of 16 bytes at least four.
  std::optional<unsigned> wavefronts;
  /// Why there is no number.
  std::string reason;

  bool isOneAddress = false; ///< of all lanes that execute it
  /// Lanes of the warp, and those that execute the access: fewer if a condition excludes the others by their thread index.
  unsigned lanes = 32, executing = 32;
  /// Warps of the block, and those with a lane that executes it. 0: the block is not known.
  unsigned warps = 0, executingWarps = 0;
  bool isPartial() const { return executing < lanes; }
  bool isCoalesced() const { return sectors && sectors == fewestSectors; }
};

/// A warp of a block, lanes counted through x first: the first one of those in which most lanes execute the access. Arrays start
/// at a multiple of 32 bytes. For a block of unknown shape 32 lanes along x are taken. A condition around the access decides by
/// lane if it has nothing but thread indices (`threadIdx.x == 0`, `t % 2 == 0`); of other conditions it is assumed that they hold.
/// Rows that a parameter separates do not overlap.
///
/// Bank rule (all GPUs since compute capability 5.0): 32 banks of 4 bytes; lanes that want different words of
/// one bank wait for each other, the same word is free, except for atomics, which are carried out one after the other; accesses of 8
/// and 16 bytes go in halves and quarters of a warp.
WarpAccess warpAccess(const Accesses &accesses, const Access &access);

} // namespace heddle::analysis
