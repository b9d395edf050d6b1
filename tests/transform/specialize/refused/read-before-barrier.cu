// refuse: the tile is read before the barrier after its loads
// static: --block 128
// verdict: fails
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A neighbour's element is read with no barrier since it was stored: a race already, which roles would make
// worse.

__global__ void differences(float *out, const float *in, int count) {
  __shared__ float tile[128];
  float sum = 0;
  for (int start = 0; start < count; start += 128) {
    tile[threadIdx.x] = in[start + threadIdx.x];
    sum += tile[127 - threadIdx.x]; // in the way
    __syncthreads();
    sum -= tile[threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
