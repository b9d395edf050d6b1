// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// char1 ... double4 and dim3.
#pragma once
#define __VECTOR_TYPES_H__ // programs ask by this name whether it was read

#include "heddle/keywords.h"

#define HEDDLE_VECTOR(family, element, align2, align4)                                                       \
  struct family##1 { element x; };                                                                           \
  struct __align__(align2) family##2 { element x, y; };                                                      \
  struct family##3 { element x, y, z; };                                                                     \
  struct __align__(align4) family##4 { element x, y, z, w; };
#include "heddle/vector_types.def"
#undef HEDDLE_VECTOR

// CUDA 13 gave the 32-byte vectors an explicit alignment in their name; the old names mean the 16-byte one.
#define HEDDLE_WIDE_VECTOR(family, element)                                                                  \
  struct __align__(16) family##4_16a { element x, y, z, w; };                                                \
  struct __align__(32) family##4_32a { element x, y, z, w; };
HEDDLE_WIDE_VECTOR(long, long)
HEDDLE_WIDE_VECTOR(ulong, unsigned long)
HEDDLE_WIDE_VECTOR(longlong, long long)
HEDDLE_WIDE_VECTOR(ulonglong, unsigned long long)
HEDDLE_WIDE_VECTOR(double, double)
#undef HEDDLE_WIDE_VECTOR

/// The shape of a grid or a block; what is not said is 1.
struct dim3 {
  unsigned int x, y, z;
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1)
      : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
