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
  /// Global memory: 32-byte sectors the warp touches, and the fewest that would hold as many distinct bytes.
  std::optional<unsigned> sectors, fewestSectors;
  /// Shared memory: how many rounds the warp's access takes; 1 is free of conflicts.
  std::optional<unsigned> bankConflicts;
  /// Why there is no number.
  std::string reason;

  bool isBroadcast() const { return stride == 0; }
  bool isCoalesced() const { return sectors && sectors == fewestSectors; }
};

/// The first warp of a block, lanes counted through x first; symbols other than threadIdx are 0 (they shift
/// all lanes alike) and rows start on a boundary. For a block of unknown shape 32 lanes along x are taken.
/// Guards are not looked at: this is a warp with all its lanes on.
///
/// Bank rule (all GPUs since compute capability 5.0): 32 banks of 4 bytes; lanes that want different words of
/// one bank wait for each other, the same word is free; accesses of 8 and 16 bytes go in halves and quarters
/// of a warp.
WarpAccess warpAccess(const Accesses &accesses, const Access &access);

} // namespace heddle::analysis
