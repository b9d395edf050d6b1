// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Included by included.cu: a kernel and a function of its that other files would use too.
#pragma once

__device__ float near(const float *tile, int width) { return tile[(threadIdx.x + 1) % width]; }

__global__ void rotate(float *out, const float *in, int steps) {
  __shared__ float tile[64];
  int k = blockIdx.x * 64 + threadIdx.x;
  float sum;
  tile[threadIdx.x] = in[k];
  out[k] = 0.0f;
  for (k = 0; k < steps; k++) {
    __syncthreads();
    sum = near(tile, 64);
    __syncthreads();
    tile[threadIdx.x] = 0.5f * sum;
    out[blockIdx.x * 64 + threadIdx.x] += tile[threadIdx.x] * float(k);
  }
}
