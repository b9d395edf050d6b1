// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before a kernel's file: its threads get other numbers. The first becomes the last, so that a
// verdict which depends on who comes first changes. With RENUMBER_WARPS only warps change places, for kernels
// whose lanes name each other.
#pragma once

#include <cuda_runtime.h>

__device__ inline uint3 heddleRenumbered() {
  const unsigned x = threadIdx.x, size = blockDim.x;
#ifdef RENUMBER_WARPS
  return {size % 32 == 0 && blockDim.y * blockDim.z == 1 ? (size / 32 - 1 - x / 32) * 32 + x % 32 : x,
          threadIdx.y, threadIdx.z};
#else
  return {size - 1 - x, blockDim.y - 1 - threadIdx.y, blockDim.z - 1 - threadIdx.z};
#endif
}

#define threadIdx heddleRenumbered()
