// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace heddle {

/// Something that a cache keeps in files of its own.
struct CacheEntry {
  std::filesystem::file_time_type used; ///< when it was used last
  uintmax_t bytes = 0;
  std::vector<std::filesystem::path> files;
};

/// Removes those that were not used for the longest time, until the others have at most `bytes`. What was used within the last
/// `spared` seconds stays: another process may be about to read it.
void removeLeastUsed(std::vector<CacheEntry> entries, uintmax_t bytes, std::chrono::seconds spared);

} // namespace heddle
