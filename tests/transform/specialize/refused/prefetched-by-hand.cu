// refuse: what goes into the tile was loaded in the iteration before: this loop is pipelined already
// static: --block 128
// verdict: holds
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The next tile is loaded to a register while this one is computed on: the hand-made form of what was asked
// for.

__global__ void sums(float *out, const float *in, int count) {
  __shared__ float tile[128];
  float sum = 0, next = in[threadIdx.x];
  for (int start = 0; start < count; start += 128) {
    tile[threadIdx.x] = next; // in the way
    __syncthreads();
    if (start + 128 < count)
      next = in[start + 128 + threadIdx.x];
    sum += tile[127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
