// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace heddle::capture {

/// 128 bits of content hash (MurmurHash3, x64 variant, seed 0). Finds damage and equal chunks; it does not protect
/// against somebody who wants two contents to have the same hash.
struct Hash128 {
  uint64_t low = 0, high = 0;

  friend bool operator==(const Hash128 &a, const Hash128 &b) { return a.low == b.low && a.high == b.high; }
  friend bool operator!=(const Hash128 &a, const Hash128 &b) { return !(a == b); }
};

Hash128 hashOf(const void *data, size_t bytes);

} // namespace heddle::capture

template <> struct std::hash<heddle::capture::Hash128> {
  size_t operator()(const heddle::capture::Hash128 &value) const noexcept { return size_t(value.low); }
};
