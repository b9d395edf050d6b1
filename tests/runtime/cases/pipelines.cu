// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies by the primitives, with two stages in flight.
#include <cuda_pipeline.h>

__global__ void pipelines(const float4 *in, float *out, int tiles) {
  __shared__ float4 stages[2][64];
  int i = threadIdx.x;
  __pipeline_memcpy_async(&stages[0][i], &in[i], sizeof(float4));
  __pipeline_commit();
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles)
      __pipeline_memcpy_async(&stages[(tile + 1) % 2][i], &in[(tile + 1) * 64 + i], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += stages[tile % 2][63 - i].x;
    __syncthreads();
  }
  out[i] = sum;
}
