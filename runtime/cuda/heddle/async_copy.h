// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from global to shared memory that run while the thread goes on (cp.async), and how to wait for them.
#pragma once

#include "../cuda_runtime.h"

/// One piece of 4, 8 or 16 bytes; the last `zeroFill` of them become zeros instead of being read.
template <unsigned int Bytes>
static __device__ __forceinline__ void heddleCopyPieceAsync(void *to, const void *from,
                                                            unsigned int zeroFill = 0) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "cp.async moves 4, 8 or 16 bytes");
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned int)__cvta_generic_to_shared(to)),
      "l"(__cvta_generic_to_global(from)), "n"(Bytes), "r"(Bytes - zeroFill)
      : "memory");
}

/// The share of thread `rank` of `threads` in a copy. Falls back to an ordinary copy where the spaces or the
/// alignment do not allow cp.async.
static __device__ __forceinline__ void heddleCopyAsync(void *to, const void *from, size_t bytes,
                                                       unsigned int rank, unsigned int threads) {
  char *target = (char *)to;
  const char *source = (const char *)from;
  size_t together = (size_t)target | (size_t)source | bytes;
  bool background = __isShared(to) && __isGlobal(from);
  if (background && together % 16 == 0)
    for (size_t at = (size_t)rank * 16; at < bytes; at += (size_t)threads * 16)
      heddleCopyPieceAsync<16>(target + at, source + at);
  else if (background && together % 4 == 0)
    for (size_t at = (size_t)rank * 4; at < bytes; at += (size_t)threads * 4)
      heddleCopyPieceAsync<4>(target + at, source + at);
  else
    for (size_t at = rank; at < bytes; at += threads)
      target[at] = source[at];
}
