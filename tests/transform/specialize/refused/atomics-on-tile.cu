// refuse: the tile is updated by atomics, so its loads are no copies
// static: --block 128
// verdict: undecided
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements reach the tile by atomics that also count: the order of threads and the array as it was matter.

__global__ void bucket(unsigned *out, const unsigned *keys, int count) {
  __shared__ unsigned tile[64];
  if (threadIdx.x < 64)
    tile[threadIdx.x] = 0;
  __syncthreads();
  unsigned sum = 0;
  for (int start = 0; start < count; start += 128) {
    atomicAdd(&tile[keys[start + threadIdx.x] % 64], 1u); // in the way
    __syncthreads();
    sum += tile[threadIdx.x % 64];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
