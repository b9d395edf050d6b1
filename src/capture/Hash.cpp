// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MurmurHash3_x64_128 by Austin Appleby, who placed it in the public domain: 16 bytes per step with two multiplications
// each, several GB/s on one core, which matters for captures of many gigabytes. Words are read as little endian, as on
// every host of a GPU.
#include "capture/Hash.h"

#include <cstring>

namespace heddle::capture {
namespace {

constexpr uint64_t kFirst = 0x87c37b91114253d5, kSecond = 0x4cf5ad432745937f;

uint64_t rotated(uint64_t value, int bits) { return (value << bits) | (value >> (64 - bits)); }

uint64_t mixed(uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccd;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53;
  return value ^ (value >> 33);
}

uint64_t firstScrambled(uint64_t word) { return rotated(word * kFirst, 31) * kSecond; }
uint64_t secondScrambled(uint64_t word) { return rotated(word * kSecond, 33) * kFirst; }

} // namespace

Hash128 hashOf(const void *data, size_t bytes) {
  const auto *from = static_cast<const unsigned char *>(data);
  uint64_t low = 0, high = 0;
  size_t done = 0;
  for (; done + 16 <= bytes; done += 16) {
    uint64_t words[2];
    std::memcpy(words, from + done, 16);
    low = (rotated(low ^ firstScrambled(words[0]), 27) + high) * 5 + 0x52dce729;
    high = (rotated(high ^ secondScrambled(words[1]), 31) + low) * 5 + 0x38495ab5;
  }
  if (done < bytes) {
    uint64_t words[2] = {};
    std::memcpy(words, from + done, bytes - done);
    // A word of zeros is scrambled to zero, as the original skips words that have no byte.
    high ^= secondScrambled(words[1]);
    low ^= firstScrambled(words[0]);
  }
  low ^= bytes;
  high ^= bytes;
  low += high;
  high += low;
  low = mixed(low);
  high = mixed(high);
  low += high;
  high += low;
  return {low, high};
}

} // namespace heddle::capture
