// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// make_char1 ... make_double4.
#pragma once
#define __VECTOR_FUNCTIONS_H__ // programs ask by this name whether it was read

#include "vector_types.h"

#define HEDDLE_MAKE static __inline__ __attribute__((always_inline)) __host__ __device__

#define HEDDLE_VECTOR(family, element, align2, align4)                                                       \
  HEDDLE_MAKE family##1 make_##family##1(element x) { return {x}; }                                          \
  HEDDLE_MAKE family##2 make_##family##2(element x, element y) { return {x, y}; }                            \
  HEDDLE_MAKE family##3 make_##family##3(element x, element y, element z) { return {x, y, z}; }              \
  HEDDLE_MAKE family##4 make_##family##4(element x, element y, element z, element w) { return {x, y, z, w}; }
#include "heddle/vector_types.def"
#undef HEDDLE_VECTOR

#define HEDDLE_WIDE_VECTOR(family, element)                                                                  \
  HEDDLE_MAKE family##4_16a make_##family##4_16a(element x, element y, element z, element w) {               \
    return {x, y, z, w};                                                                                     \
  }                                                                                                          \
  HEDDLE_MAKE family##4_32a make_##family##4_32a(element x, element y, element z, element w) {               \
    return {x, y, z, w};                                                                                     \
  }
HEDDLE_WIDE_VECTOR(long, long)
HEDDLE_WIDE_VECTOR(ulong, unsigned long)
HEDDLE_WIDE_VECTOR(longlong, long long)
HEDDLE_WIDE_VECTOR(ulonglong, unsigned long long)
HEDDLE_WIDE_VECTOR(double, double)
#undef HEDDLE_WIDE_VECTOR
#undef HEDDLE_MAKE
