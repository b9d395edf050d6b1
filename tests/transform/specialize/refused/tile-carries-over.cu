// refuse: the tile keeps elements of the tile before, so it cannot lie in another buffer
// static: --block 128
// verdict: holds
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The halo of a tile is moved over from the tile before instead of being loaded: both would be in different
// stages.

__global__ void blur(float *out, const float *in, int count) {
  __shared__ float tile[130];
  if (threadIdx.x < 2)
    tile[128 + threadIdx.x] = 0;
  __syncthreads();
  for (int start = 0; start < count; start += 128) {
    if (threadIdx.x < 2)
      tile[threadIdx.x] = tile[128 + threadIdx.x]; // in the way
    __syncthreads();
    tile[2 + threadIdx.x] = start + int(threadIdx.x) < count ? in[start + threadIdx.x] : 0.0f;
    __syncthreads();
    if (start + int(threadIdx.x) < count)
      out[start + threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
    __syncthreads();
  }
}
