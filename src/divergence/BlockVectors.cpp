// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "divergence/BlockVectors.h"

#include <algorithm>

namespace heddle::divergence {
namespace {

/// FNV-1a over whole counts, with a finalizer: most counts are small, and their upper bits say nothing.
uint64_t hashOf(std::span<const uint32_t> counts) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t count : counts)
    hash = (hash ^ count) * 0x100000001b3u;
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

} // namespace

BlockVectors BlockVectors::ofCounts(uint32_t blockCount, std::span<const uint32_t> counts) {
  BlockVectors vectors(blockCount);
  for (size_t at = 0; at < counts.size(); at += blockCount)
    vectors.addThread(counts.subspan(at, blockCount));
  return vectors;
}

uint32_t BlockVectors::rowWith(std::span<const uint32_t> counts) {
  const uint64_t hash = hashOf(counts);
  auto [begin, end] = find.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (std::equal(counts.begin(), counts.end(), row(it->second).begin()))
      return it->second;
  const uint32_t index = distinct();
  rows.insert(rows.end(), counts.begin(), counts.end());
  find.emplace(hash, index);
  return index;
}

} // namespace heddle::divergence
