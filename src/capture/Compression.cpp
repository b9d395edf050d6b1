// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Much of what kernels read are random-looking floating-point numbers, which zlib makes hardly smaller at 40 MB/s. A
// sample from the middle of a chunk decides whether the whole chunk is tried.
#include "capture/Compression.h"

#ifdef HEDDLE_HAS_ZLIB
#include <zlib.h>
#endif

namespace heddle::capture {

#ifdef HEDDLE_HAS_ZLIB

namespace {

constexpr int kLevel = 1; // a capture is read at once, and as often as somebody tunes: speed, not size
constexpr size_t kSampleBytes = 1 << 15;

std::optional<std::vector<unsigned char>> shorter(const unsigned char *data, size_t bytes, size_t mostBytes) {
  std::vector<unsigned char> out(compressBound(uLong(bytes)));
  uLongf outBytes = uLongf(out.size());
  if (compress2(out.data(), &outBytes, data, uLong(bytes), kLevel) != Z_OK || outBytes > mostBytes)
    return std::nullopt;
  out.resize(outBytes);
  return out;
}

size_t mostBytes(size_t bytes) { return bytes - bytes / 8; }

} // namespace

bool hasCompression() { return true; }

std::optional<std::vector<unsigned char>> compressed(const unsigned char *data, size_t bytes) {
  if (bytes > 4 * kSampleBytes &&
      !shorter(data + (bytes - kSampleBytes) / 2, kSampleBytes, mostBytes(kSampleBytes)))
    return std::nullopt;
  return shorter(data, bytes, mostBytes(bytes));
}

bool decompress(const unsigned char *from, size_t fromBytes, unsigned char *to, size_t bytes) {
  uLongf outBytes = uLongf(bytes);
  return uncompress(to, &outBytes, from, uLong(fromBytes)) == Z_OK && outBytes == bytes;
}

#else

bool hasCompression() { return false; }
std::optional<std::vector<unsigned char>> compressed(const unsigned char *, size_t) { return std::nullopt; }
bool decompress(const unsigned char *, size_t, unsigned char *, size_t) { return false; }

#endif

} // namespace heddle::capture
