// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's intrinsics include a file of this name for the typed forms of __match_any_sync and
// __match_all_sync, right after they defined the 32- and 64-bit forms.
#pragma once

#define HEDDLE_MATCH(type, word, bits)                                                                       \
  static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, type value) {           \
    return __match##bits##_any_sync(mask, __builtin_bit_cast(word, value));                                  \
  }                                                                                                          \
  static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, type value,             \
                                                                  int *allEqual) {                           \
    return __match##bits##_all_sync(mask, __builtin_bit_cast(word, value), allEqual);                        \
  }
HEDDLE_MATCH(int, unsigned int, 32)
HEDDLE_MATCH(unsigned int, unsigned int, 32)
HEDDLE_MATCH(float, unsigned int, 32)
HEDDLE_MATCH(long, unsigned long long, 64)
HEDDLE_MATCH(unsigned long, unsigned long long, 64)
HEDDLE_MATCH(long long, unsigned long long, 64)
HEDDLE_MATCH(unsigned long long, unsigned long long, 64)
HEDDLE_MATCH(double, unsigned long long, 64)
#undef HEDDLE_MATCH
