// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array of a block of one warp, kept in registers: element i lies in lane i % 32, in that lane's row i
// / 32.
//
// Rows must be constants once loops are unrolled and calls are opened; a row that is not would put the array
// into local memory. Lanes may be known at run time only: a shuffle takes any.
//
// Whatever is not a plain register of the lane's own is a shuffle, and all 32 lanes must come to it together.
// Rows that do not exist may be named, as the neighbours of the last row by lanes that do not use what they
// get: they represent the nearest one that does.
#ifndef HEDDLE_STRIPED_CUH
#define HEDDLE_STRIPED_CUH

#include <cstring>

namespace heddle {

/// Which of the warp's lanes this is; blocks need not be one-dimensional, nor of one warp alone.
__device__ __forceinline__ int laneOfWarp() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

/// The value that lane `from % 32` offers, of any type that can be copied as bytes.
template <class T> __device__ __forceinline__ T fromLane(T offered, int from) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  unsigned parts[words] = {};
  memcpy(parts, &offered, sizeof(T));
#pragma unroll
  for (unsigned i = 0; i < words; ++i)
    parts[i] = __shfl_sync(0xffffffffu, parts[i], from);
  memcpy(&offered, parts, sizeof(T));
  return offered;
}

template <class T, int Elements> struct Striped {
  static constexpr int rows = (Elements + 31) / 32;
  // Zeros, since lanes may offer what was not written yet to lanes that do not look at it.
  T row[rows] = {};

  static __device__ __forceinline__ int existing(int wanted) {
    return wanted < 0 ? 0 : wanted < rows ? wanted : rows - 1;
  }

  /// The lane's own element of a row: number 32 * row + lane.
  __device__ __forceinline__ T &own(int wanted) { return row[existing(wanted)]; }

  /// Element lane + distance.
  ///
  /// Lanes from 32 - distance % 32 on reach over into the row behind; they read the first lanes, and those
  /// offer that row to them.
  __device__ __forceinline__ T ahead(int distance) const {
    const int first = distance >> 5, shift = distance & 31;
    if (shift == 0)
      return row[existing(first)];
    const int lane = laneOfWarp();
    const T offered = lane < shift ? row[existing(first + 1)] : row[existing(first)];
    return fromLane(offered, lane + shift);
  }

  /// Element `place` of the array, which all lanes know to lie in this row; places may differ by lane.
  __device__ __forceinline__ T in(int wanted, int place) const {
    return fromLane(row[existing(wanted)], place);
  }

  /// One of two that were read already: `there` where the lane wants element lane + distance, else `other`.
  static __device__ __forceinline__ T which(int place, int distance, T there, T other) {
    return place == laneOfWarp() + distance ? there : other;
  }
};

} // namespace heddle

#endif // HEDDLE_STRIPED_CUH
