// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "instrument/Layout.h"

#include <algorithm>

namespace heddle::instrument {
namespace {

constexpr unsigned Lanes = 32;
/// Blocks are numbered by 32 bits (Instrument.cpp).
constexpr uint64_t MostBlocks = uint64_t(1) << 32;
/// What a warp accesses at once.
constexpr uint64_t LineBytes = 128;
constexpr uint64_t CounterBytes = sizeof(uint32_t), ValueBytes = sizeof(uint64_t);

uint64_t inLines(uint64_t bytes) { return (bytes + LineBytes - 1) / LineBytes * LineBytes; }

/// Of all threads of a block, row by row.
void addValues(CountedLaunch &launch, const KernelRows &rows, const Layout &layout, const uint32_t *block) {
  const auto *values = reinterpret_cast<const uint64_t *>(block + layout.valueOffset / CounterBytes);
  for (uint32_t row = 0; row < rows.ofValues; ++row)
    launch.values.insert(launch.values.end(), values + row * layout.warps * Lanes,
                         values + row * layout.warps * Lanes + layout.threads);
}

} // namespace

std::optional<Layout> layoutOf(const CountedLaunch &launch, const KernelRows &rows, uint64_t mostBytes) {
  Layout layout;
  const uint64_t blocks = launch.blocks();
  layout.threads = launch.threadsPerBlock();
  layout.warps = (layout.threads + Lanes - 1) / Lanes;
  if (blocks == 0 || layout.threads == 0 || blocks > MostBlocks)
    return std::nullopt;
  layout.warpOffset = rows.ofThreads * layout.warps * Lanes * CounterBytes;
  layout.valueOffset = inLines(layout.warpOffset + rows.ofWarps * layout.warps * CounterBytes);
  layout.bytesPerBlock = layout.valueOffset + rows.ofValues * layout.warps * Lanes * ValueBytes;
  const uint64_t most = std::max<uint64_t>(1, mostBytes / layout.bytesPerBlock);
  layout.every = uint32_t((blocks + most - 1) / most);
  layout.blocks = (blocks + layout.every - 1) / layout.every;
  return layout;
}

void sumUp(CountedLaunch &launch, const KernelRows &rows, const Layout &layout,
           std::span<const uint32_t> counters) {
  launch.every = layout.every;
  launch.warps = layout.blocks * layout.warps;
  launch.vectors = divergence::BlockVectors(rows.ofThreads);
  launch.values.clear();
  launch.warpSums.assign(rows.ofWarps, 0);
  launch.absentLanes.assign(rows.ofWarps, 0);
  const uint64_t absent = layout.warps * Lanes - layout.threads; // lanes of the last warp of each block
  std::vector<uint32_t> vector(rows.ofThreads);
  for (uint64_t block = 0; block < layout.blocks; ++block) {
    const uint32_t *ofThreads = counters.data() + block * layout.bytesPerBlock / CounterBytes;
    const uint32_t *ofWarps = ofThreads + layout.warpOffset / CounterBytes;
    for (uint64_t thread = 0; thread < layout.threads; ++thread) {
      for (uint32_t row = 0; row < rows.ofThreads; ++row)
        vector[row] = ofThreads[row * layout.warps * Lanes + thread];
      launch.vectors.addThread(vector);
    }
    addValues(launch, rows, layout, ofThreads);
    for (uint32_t row = 0; row < rows.ofWarps; ++row) {
      for (uint64_t warp = 0; warp < layout.warps; ++warp)
        launch.warpSums[row] += ofWarps[row * layout.warps + warp];
      launch.absentLanes[row] += absent * ofWarps[row * layout.warps + layout.warps - 1];
    }
    for (uint64_t warp = 0; warp < layout.warps; ++warp)
      launch.divergentWarps +=
          std::any_of(rows.divergences.begin(), rows.divergences.end(),
                      [&](uint32_t row) { return ofWarps[row * layout.warps + warp] > 0; });
  }
}

} // namespace heddle::instrument
