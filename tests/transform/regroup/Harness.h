// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The harness of tests/transform/consolidate, and what programs share whose threads diverge: sizes that are mostly
// small and sometimes large, and numbers that host and device draw alike.
#pragma once

#include "../consolidate/Harness.h"

/// Lengths from `least` to `most`, few of them long: about half the range's logarithm in the middle.
inline int unevenLength(Numbers &numbers, int least, int most) {
  int bound = least;
  while (bound < most && numbers.below(4) != 0)
    bound += (most - bound + 3) / 4;
  return least + numbers.below(bound - least + 1);
}

/// Where each of some strings begins, and after the last where it ends.
inline std::vector<int> beginnings(const std::vector<int> &lengths) {
  std::vector<int> first = {0};
  for (int length : lengths)
    first.push_back(first.back() + length);
  return first;
}

/// A thread's own random numbers: the same on both sides, and 24 bits good.
struct Draws {
  unsigned state;
  __host__ __device__ unsigned next() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
  }
  __host__ __device__ float unit() { return float(next()) * (1.0f / 16777216.0f); }
};
