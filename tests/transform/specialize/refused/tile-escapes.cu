// refuse: the address of the tile gets away, so that it is not known which thread reads which buffer
// static: --block 128
// verdict: undecided
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer into the tile outlives the iteration: with several stages it would point to the wrong one.

__global__ void latest(float *out, const float *in, int count) {
  __shared__ float tile[128];
  tile[threadIdx.x] = 0;
  __syncthreads();
  const float *most = tile;
  for (int start = 0; start < count; start += 128) {
    tile[threadIdx.x] = in[start + threadIdx.x];
    __syncthreads();
    if (tile[127 - threadIdx.x] > *most)
      most = &tile[127 - threadIdx.x]; // in the way
    __syncthreads();
  }
  out[threadIdx.x] = *most;
}
