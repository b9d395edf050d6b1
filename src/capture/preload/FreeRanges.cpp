// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capture/preload/FreeRanges.h"

#include <iterator>

namespace heddle::capture {

std::optional<uint64_t> FreeRanges::take(uint64_t bytes) {
  for (auto range = ranges.begin(); range != ranges.end(); ++range) {
    const auto [address, available] = *range;
    if (available < bytes)
      continue;
    ranges.erase(range);
    if (available > bytes)
      ranges[address + bytes] = available - bytes;
    return address;
  }
  return std::nullopt;
}

void FreeRanges::give(uint64_t address, uint64_t bytes) {
  auto after = ranges.lower_bound(address);
  if (after != ranges.end() && after->first == address + bytes) {
    bytes += after->second;
    after = ranges.erase(after);
  }
  if (after != ranges.begin())
    if (auto before = std::prev(after); before->first + before->second == address) {
      before->second += bytes;
      return;
    }
  ranges[address] = bytes;
}

} // namespace heddle::capture
