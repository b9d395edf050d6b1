// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memory.index: which chunks of memory.bin the objects of a capture consist of, before and after the launch. 64-bit
// little-endian words: magic, chunk bytes, number of chunks, the chunks (hash low, hash high, offset, stored bytes, bytes,
// form), number of objects, the objects (number of chunks, their numbers before, their numbers after), hash of all words
// before.
#pragma once

#include "capture/Hash.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::capture {

constexpr uint64_t kChunkBytes = 1 << 20;

enum class ChunkForm : uint64_t { Zero, Plain, Zlib };

struct Chunk {
  Hash128 hash; ///< of the content, not of what is stored
  uint64_t offset = 0, storedBytes = 0, bytes = 0;
  ChunkForm form = ChunkForm::Zero; ///< of zeros alone nothing is stored
};

/// A region or a variable, as the numbers of its chunks. All but the last are full.
struct StoredObject {
  std::vector<uint64_t> before, after; ///< of equal length
};

struct StoreIndex {
  uint64_t chunkBytes = kChunkBytes;
  std::vector<Chunk> chunks;
  std::vector<StoredObject> objects;

  uint64_t bytesOf(const StoredObject &object) const;
};

std::vector<uint64_t> wordsOf(const StoreIndex &index);
/// Nothing, and why, where the words are damaged or of something else. Numbers of chunks and sizes are consistent in what
/// is returned.
std::optional<StoreIndex> indexOf(const std::vector<uint64_t> &words, std::string &error);

} // namespace heddle::capture
