// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "counts/SectorSet.h"
#include "vm/Memory.h"

#include <cstdint>
#include <vector>

namespace heddle::counts {

/// Sectors that some blocks of a launch touched, and which of them more than one block did.
struct SampledSectors {
  SectorSet seen, again;

  void addBlock(const SectorSet &block) { seen.add(block, &again); }
  void add(const SampledSectors &other) {
    again.add(other.again);
    seen.add(other.seen, &again);
  }
  /// Other accesses of the same blocks: a sector is not touched again because they touch it, too.
  void join(const SampledSectors &other) {
    again.add(other.again);
    seen.add(other.seen);
  }
};

/// From blocks that were counted to all blocks of a launch.
struct Extrapolation {
  uint64_t counted = 0, all = 0;
  const std::vector<vm::Allocation> &allocations; ///< by address

  /// How many different sectors all blocks touch. Exact if all were counted.
  uint64_t sectors(const SampledSectors &sampled) const;
};

} // namespace heddle::counts
