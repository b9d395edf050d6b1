// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/StoreIndex.h"

#include <filesystem>
#include <unordered_map>

namespace heddle::capture {

/// Writes memory.bin and memory.index. Bytes are cut into chunks; a chunk that is there already is not stored again, and
/// one of zeros is not stored at all. The same calls write the same files, with any number of threads.
class StoreWriter {
public:
  /// `threads` hash and compress; 0: as many as the host has.
  explicit StoreWriter(std::filesystem::path folder, unsigned threads = 0, uint64_t chunkBytes = kChunkBytes);
  ~StoreWriter();
  StoreWriter(const StoreWriter &) = delete;
  StoreWriter &operator=(const StoreWriter &) = delete;

  /// The numbers of the chunks of these bytes. An object may be added in several calls, each but the last with a
  /// multiple of the chunk size; many chunks in one call keep the threads busy.
  std::vector<uint64_t> add(const void *data, uint64_t bytes);
  /// Writes the index, after which the store is complete. False where anything could not be written.
  bool finish(const std::vector<StoredObject> &objects);

  /// Why something could not be written; empty where all is well.
  const std::string &error() const { return whyNot; }
  uint64_t chunkBytes() const { return index.chunkBytes; }
  /// Of memory.bin.
  uint64_t storedBytes() const { return fileBytes; }

private:
  void append(const unsigned char *data, Chunk &chunk, const std::vector<unsigned char> *shorter);
  void failed(const std::string &what);

  std::filesystem::path folder;
  unsigned threads;
  StoreIndex index;
  std::unordered_map<Hash128, uint64_t> numbers; ///< of chunks, by their content
  int file = -1;
  uint64_t fileBytes = 0;
  std::string whyNot;
};

} // namespace heddle::capture
