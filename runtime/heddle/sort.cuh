// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts items by a 32-bit key, largest first, asynchronously in a stream. The sort is stable: items with equal keys
// keep their order.
//
// CUB's radix sort is used if nvcc compiles the program and CUB's headers are available; else a small radix sort with
// four bits per pass: tiles of 256 count their digits, one block computes prefix sums, and the tiles write each item
// to its position. It is several times slower than CUB's and has no dependencies. HEDDLE_SORT=own or =cub in the
// environment selects one; compiling with HEDDLE_OWN_SORT excludes CUB.
#ifndef HEDDLE_SORT_CUH
#define HEDDLE_SORT_CUH

#include <cstdlib>
#include <cstring>

#if defined(__NVCC__) && !defined(HEDDLE_OWN_SORT) && defined(__has_include)
#if __has_include(<cub/device/device_radix_sort.cuh>)
#include <cub/device/device_radix_sort.cuh>
#define HEDDLE_HAS_CUB 1
#endif
#endif

namespace heddle {
namespace sorting {

constexpr unsigned tile = 256, warpsOfTile = tile / 32, digitBits = 4, digits = 1 << digitBits, allBits = 32;

/// Pairs of keys and items, and a buffer of the same size.
struct Pairs {
  unsigned *keys, *items;
};

/// The largest key has the first digit.
__device__ inline unsigned digitOf(unsigned key, unsigned shift) {
  return digits - 1 - (key >> shift) % digits;
}

static __global__ void countDigits(unsigned *counts, const unsigned *keys, unsigned count, unsigned shift) {
  __shared__ unsigned ofTile[digits];
  if (threadIdx.x < digits)
    ofTile[threadIdx.x] = 0;
  __syncthreads();
  const unsigned at = blockIdx.x * tile + threadIdx.x;
  if (at < count)
    atomicAdd(&ofTile[digitOf(keys[at], shift)], 1u);
  __syncthreads();
  if (threadIdx.x < digits)
    counts[threadIdx.x * gridDim.x + blockIdx.x] = ofTile[threadIdx.x];
}

/// Exclusive prefix sum, by one block.
static __global__ void addUp(unsigned *numbers, unsigned count) {
  __shared__ unsigned sums[2][tile];
  unsigned before = 0;
  for (unsigned begin = 0; begin < count; begin += tile) {
    const unsigned at = begin + threadIdx.x, own = at < count ? numbers[at] : 0;
    unsigned from = 0;
    sums[0][threadIdx.x] = own;
    __syncthreads();
    for (unsigned distance = 1; distance < tile; distance *= 2, from ^= 1) {
      const unsigned other = threadIdx.x >= distance ? sums[from][threadIdx.x - distance] : 0;
      sums[from ^ 1][threadIdx.x] = sums[from][threadIdx.x] + other;
      __syncthreads();
    }
    if (at < count)
      numbers[at] = before + sums[from][threadIdx.x] - own;
    before += sums[from][tile - 1];
    __syncthreads();
  }
}

/// The lanes of the warp that have this digit, of those that have any.
__device__ inline unsigned lanesLike(unsigned digit, bool isThere) {
  unsigned alike = __ballot_sync(0xffffffffu, isThere);
  for (unsigned bit = 0; bit < digitBits; ++bit) {
    const unsigned set = __ballot_sync(0xffffffffu, digit >> bit & 1);
    alike &= digit >> bit & 1 ? set : ~set;
  }
  return alike;
}

static __global__ void placeByDigit(Pairs to, Pairs from, const unsigned *places, unsigned count,
                                    unsigned shift) {
  __shared__ unsigned ofWarp[warpsOfTile][digits];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, at = blockIdx.x * tile + threadIdx.x;
  const bool isThere = at < count;
  if (lane < digits)
    ofWarp[warp][lane] = 0;
  __syncwarp();
  const unsigned key = isThere ? from.keys[at] : 0, digit = digitOf(key, shift);
  const unsigned alike = lanesLike(digit, isThere), before = __popc(alike & ((1u << lane) - 1));
  if (isThere && before == 0)
    ofWarp[warp][digit] = __popc(alike);
  __syncthreads();
  if (!isThere)
    return;
  unsigned place = places[digit * gridDim.x + blockIdx.x] + before;
  for (unsigned other = 0; other < warp; ++other)
    place += ofWarp[other][digit];
  to.keys[place] = key;
  to.items[place] = from.items[at];
}

inline unsigned tilesOf(unsigned count) { return (count + tile - 1) / tile; }

/// Whether CUB is used: it is available, and nothing else was requested.
inline bool usesCub() {
#ifdef HEDDLE_HAS_CUB
  const char *wanted = std::getenv("HEDDLE_SORT");
  return !wanted || std::strcmp(wanted, "own") != 0;
#else
  return false;
#endif
}

/// Memory that sorting needs beside the pairs.
inline std::size_t scratchBytes(unsigned count, unsigned bits) {
  std::size_t bytes = std::size_t(tilesOf(count)) * digits * sizeof(unsigned);
#ifdef HEDDLE_HAS_CUB
  std::size_t ofCub = 0;
  const unsigned *in = nullptr;
  unsigned *out = nullptr;
  cub::DeviceRadixSort::SortPairsDescending(nullptr, ofCub, in, out, in, out, int(count), 0, int(bits));
  bytes = ofCub > bytes ? ofCub : bytes;
#endif
  (void)bits;
  return bytes;
}

/// Sorts by the lowest `bits` of the keys; returns the pairs that hold the result, one of the two.
inline Pairs sortLargestFirst(Pairs pairs, Pairs spare, unsigned count, unsigned bits, void *scratch,
                              std::size_t bytes, cudaStream_t stream) {
#ifdef HEDDLE_HAS_CUB
  if (usesCub()) {
    cub::DeviceRadixSort::SortPairsDescending(scratch, bytes, pairs.keys, spare.keys, pairs.items,
                                              spare.items, int(count), 0, int(bits), stream);
    return spare;
  }
#endif
  (void)bytes;
  unsigned *counts = static_cast<unsigned *>(scratch);
  const unsigned tiles = tilesOf(count);
  for (unsigned shift = 0; shift < bits; shift += digitBits) {
    countDigits<<<tiles, tile, 0, stream>>>(counts, pairs.keys, count, shift);
    addUp<<<1, tile, 0, stream>>>(counts, tiles * digits);
    placeByDigit<<<tiles, tile, 0, stream>>>(spare, pairs, counts, count, shift);
    const Pairs sorted = spare;
    spare = pairs;
    pairs = sorted;
  }
  return pairs;
}

} // namespace sorting
} // namespace heddle

#endif // HEDDLE_SORT_CUH
