// refuse: the last tile is read after the loop
// static: --block 128
// verdict: fails
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the last iteration has left in the tile is read after the loop: it is not known there in which stage it is.

__global__ void last(float *out, const float *in, int count) {
  __shared__ float tile[128];
  float sum = 0;
  for (int start = 0; start < count; start += 128) {
    tile[threadIdx.x] = start + int(threadIdx.x) < count ? in[start + threadIdx.x] : 0.0f;
    __syncthreads();
    sum += tile[127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum + tile[threadIdx.x]; // in the way
}
