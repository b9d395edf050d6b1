// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array of a block of one warp, distributed over registers: element i is in lane i % 32, in row i / 32 of that
// lane.
//
// Rows must be constants after unrolling and inlining; otherwise the compiler places the array in local memory. Lanes
// may be known only at run time: a shuffle accepts any.
//
// Every access except to the lane's own register is a shuffle, which all 32 lanes must execute together.
// Rows that do not exist may be requested, for example those after the last row by lanes that do not use the
// result: the nearest existing row is read.
#ifndef HEDDLE_STRIPED_CUH
#define HEDDLE_STRIPED_CUH

#include <cstring>

namespace heddle {

/// The number of this lane in its warp; blocks may have several dimensions and several warps.
__device__ __forceinline__ int laneOfWarp() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

/// The value of lane `from % 32`, of any type that can be copied as bytes.
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
  // Zeros, because lanes may provide elements that were not written yet to lanes that do not use them.
  T row[rows] = {};

  static __device__ __forceinline__ int existing(int wanted) {
    return wanted < 0 ? 0 : wanted < rows ? wanted : rows - 1;
  }

  /// The lane's own element of a row: number 32 * row + lane.
  __device__ __forceinline__ T &own(int wanted) { return row[existing(wanted)]; }

  /// Element lane + distance.
  ///
  /// Lanes from 32 - distance % 32 on read elements of the next row, from the first lanes, which provide that row
  /// to them.
  __device__ __forceinline__ T ahead(int distance) const {
    const int first = distance >> 5, shift = distance & 31;
    if (shift == 0)
      return row[existing(first)];
    const int lane = laneOfWarp();
    const T offered = lane < shift ? row[existing(first + 1)] : row[existing(first)];
    return fromLane(offered, lane + shift);
  }

  /// Element `index` of the array, which is in this row for all lanes; `index` may differ between lanes.
  __device__ __forceinline__ T in(int wanted, int index) const {
    return fromLane(row[existing(wanted)], index);
  }

  /// Selects one of two values that were read before: `there` if `index` is lane + distance, else `other`.
  static __device__ __forceinline__ T which(int index, int distance, T there, T other) {
    return index == laneOfWarp() + distance ? there : other;
  }
};

} // namespace heddle

#endif // HEDDLE_STRIPED_CUH
