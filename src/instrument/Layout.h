// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "instrument/CountFile.h"
#include "instrument/Header.h"

#include <span>

namespace heddle::instrument {

/// Rows that a thread block of a kernel needs, as the preloaded library knows them.
struct KernelRows {
  uint32_t ofThreads = 0, ofWarps = 0;
  uint32_t ofValues = 0;             ///< of 8 bytes for each thread
  std::vector<uint32_t> divergences; ///< rows of warps that count how often lanes diverged
};

/// Where the counters of a launch are.
struct Layout {
  uint64_t warps = 0, threads = 0, blocks = 0; ///< of a thread block; thread blocks that are counted
  uint32_t every = 1;
  uint64_t warpOffset = 0, valueOffset = 0, bytesPerBlock = 0;

  uint64_t bytes() const { return blocks * bytesPerBlock; }
  Header header(uint64_t address) const {
    return {address, bytesPerBlock, warpOffset, valueOffset, every, 0};
  }
};

/// As many thread blocks as there is room for. Nothing where a launch has no threads, or more thread blocks than are numbered.
std::optional<Layout> layoutOf(const CountedLaunch &launch, const KernelRows &rows, uint64_t mostBytes);

/// Sums and vectors of all counters.
void sumUp(CountedLaunch &launch, const KernelRows &rows, const Layout &layout,
           std::span<const uint32_t> counters);

} // namespace heddle::instrument
