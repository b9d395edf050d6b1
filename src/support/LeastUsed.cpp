// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/LeastUsed.h"

#include <algorithm>
#include <system_error>

namespace heddle {

void removeLeastUsed(std::vector<CacheEntry> entries, uintmax_t bytes, std::chrono::seconds spared) {
  std::ranges::sort(entries, {}, &CacheEntry::used);
  uintmax_t total = 0;
  for (const CacheEntry &entry : entries)
    total += entry.bytes;
  const auto youngest = std::filesystem::file_time_type::clock::now() - spared;
  std::error_code ignored; // another process may have removed it
  for (const CacheEntry &entry : entries) {
    if (total <= bytes || entry.used > youngest)
      return;
    for (const std::filesystem::path &file : entry.files)
      std::filesystem::remove(file, ignored);
    total -= entry.bytes;
  }
}

} // namespace heddle
