// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace heddle::divergence {

/// Basic-block vectors of a launch: how often each thread executed each basic block of the kernel.
///
/// Many threads do the same, so each vector is kept once, and each thread knows which one is its own. Nothing
/// here ever takes time or room for a thread beyond that number, which is what lets millions of them be
/// regrouped.
class BlockVectors {
public:
  explicit BlockVectors(uint32_t blockCount = 0) : blockCount(blockCount) {}
  /// `counts` has blockCount numbers for each thread, one thread after the other.
  static BlockVectors ofCounts(uint32_t blockCount, std::span<const uint32_t> counts);

  uint32_t blocks() const { return blockCount; }
  uint32_t threads() const { return uint32_t(rowOf.size()); }
  uint32_t distinct() const { return blockCount ? uint32_t(rows.size() / blockCount) : 0; }

  std::span<const uint32_t> row(uint32_t index) const {
    return {rows.data() + size_t(index) * blockCount, blockCount};
  }
  uint32_t rowOfThread(uint32_t thread) const { return rowOf[thread]; }
  std::span<const uint32_t> thread(uint32_t thread) const { return row(rowOf[thread]); }

  /// The row with these counts; a new one where there is none.
  uint32_t rowWith(std::span<const uint32_t> counts);
  void setThreads(uint32_t count) { rowOf.resize(count); }
  void setRow(uint32_t thread, uint32_t row) { rowOf[thread] = row; }
  void addThread(std::span<const uint32_t> counts) { rowOf.push_back(rowWith(counts)); }

private:
  uint32_t blockCount = 0;
  std::vector<uint32_t> rows;
  std::vector<uint32_t> rowOf;                      ///< by thread
  std::unordered_multimap<uint64_t, uint32_t> find; ///< rows by hash
};

} // namespace heddle::divergence
