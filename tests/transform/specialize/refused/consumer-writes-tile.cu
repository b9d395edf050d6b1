// refuse: what is computed is written into the tile, and the next load reads it
// static: --block 128
// verdict: holds
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile is an accumulator: each load adds to what the computation left there.

__global__ void damp(float *out, const float *in, int count) {
  __shared__ float tile[128];
  tile[threadIdx.x] = 0;
  __syncthreads();
  for (int start = 0; start < count; start += 128) {
    tile[threadIdx.x] += in[start + threadIdx.x]; // in the way
    __syncthreads();
    const float mirrored = tile[127 - threadIdx.x];
    __syncthreads();
    tile[threadIdx.x] = 0.5f * mirrored;
    __syncthreads();
  }
  out[threadIdx.x] = tile[threadIdx.x];
}
