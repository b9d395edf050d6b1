// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/StoreIndex.h"

#include <filesystem>
#include <memory>

namespace heddle::capture {

enum class When { Before, After };

/// Reads memory.bin by memory.index. Every chunk's hash is checked. May be used by several threads.
class StoreReader {
public:
  /// Nothing, and why, where the store is incomplete or damaged as far as the index shows.
  static std::optional<StoreReader> open(const std::filesystem::path &folder, std::string &error);

  const StoreIndex &index() const { return contents; }
  size_t objects() const { return contents.objects.size(); }
  uint64_t bytesOf(size_t object) const { return contents.bytesOf(contents.objects[object]); }
  /// Positions of the object's chunks whose content the launch changed.
  std::vector<size_t> changedChunks(size_t object) const;

  /// Writes the chunk's `bytes` bytes.
  bool readChunk(uint64_t chunk, void *to, std::string &error) const;
  /// Writes all bytes of an object, on up to `threads` threads (0: as many as the host has).
  bool readObject(size_t object, When when, void *to, std::string &error, unsigned threads = 0) const;

private:
  StoreReader() = default;

  StoreIndex contents;
  std::shared_ptr<int> file; ///< closed with the last copy
};

} // namespace heddle::capture
