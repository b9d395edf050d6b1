// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gigabytes are scanned, and hardly any value is a pointer: the common case is one comparison with the span of all
// ranges. The rest is a binary search. The end of a range counts, since a program may keep a pointer behind the last
// element and walk backwards; where the next range begins there, both are reached.
#include "capture/preload/Reachable.h"

#include <algorithm>
#include <cstring>

namespace heddle::capture {

Reachable::Reachable(std::vector<Range> given) : ranges(std::move(given)), reached(ranges.size()) {
  for (size_t i = 0; i < ranges.size(); ++i)
    byAddress.push_back(i);
  std::sort(byAddress.begin(), byAddress.end(),
            [this](size_t a, size_t b) { return ranges[a].address < ranges[b].address; });
  if (!ranges.empty()) {
    const Range &last = ranges[byAddress.back()];
    lowest = ranges[byAddress.front()].address;
    highest = last.address + last.bytes;
  }
}

void Reachable::reach(size_t range) {
  if (reached[range])
    return;
  reached[range] = true;
  order.push_back(range);
}

template <class Use> void Reachable::forEachRangeOf(uint64_t value, const Use &use) const {
  auto after = std::upper_bound(byAddress.begin(), byAddress.end(), value,
                                [this](uint64_t v, size_t range) { return v < ranges[range].address; });
  // The one that begins last before the value, and the one before it where the value is its end.
  for (int back = 0; back < 2 && after != byAddress.begin(); ++back) {
    const size_t range = *--after;
    if (value - ranges[range].address <= ranges[range].bytes)
      use(range);
  }
}

bool Reachable::isInARange(uint64_t value) const {
  bool isIn = false;
  forEachRangeOf(value, [&](size_t) { isIn = true; });
  return isIn;
}

void Reachable::scan(const void *data, size_t bytes, size_t step) {
  const auto *from = static_cast<const unsigned char *>(data);
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes; at += step) {
    uint64_t value = 0;
    std::memcpy(&value, from + at, sizeof value);
    if (value - lowest <= highest - lowest && !ranges.empty())
      forEachRangeOf(value, [this](size_t range) { reach(range); });
  }
}

std::optional<size_t> Reachable::next() {
  return returned < order.size() ? std::optional<size_t>(order[returned++]) : std::nullopt;
}

} // namespace heddle::capture
