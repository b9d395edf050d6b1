// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The harness of tests/transform/consolidate, for programs that must be right for nothing to do, too.
#pragma once

#include "../consolidate/Harness.h"

/// The argument at that place, from 1: a size, which may be 0.
inline int sizeArgument(int argc, char **argv, int place, int otherwise) {
  const int value = place < argc ? std::atoi(argv[place]) : otherwise;
  if (value >= 0)
    return value;
  std::fprintf(stderr, "argument %d of %s must not be negative (%d when not given)\n", place, argv[0],
               otherwise);
  std::exit(2);
}

inline std::vector<double> doubles(std::size_t count, unsigned seed) {
  const std::vector<float> list = floats(count, seed);
  return {list.begin(), list.end()};
}
