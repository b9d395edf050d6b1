// refuse: the loaded value is also used by the thread that loaded it, past the tile
// static: --block 128
// verdict: holds
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes pass on what they loaded by shuffles: it never goes through the tile, and consumers have not loaded
// it.

__global__ void sums(float *out, const float *in, int count) {
  __shared__ float tile[128];
  float sum = 0;
  for (int start = 0; start < count; start += 128) {
    const float loaded = in[start + threadIdx.x];
    tile[threadIdx.x] = loaded;
    __syncthreads();
    sum += tile[127 - threadIdx.x] * __shfl_xor_sync(0xffffffffu, loaded, 1); // in the way
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
