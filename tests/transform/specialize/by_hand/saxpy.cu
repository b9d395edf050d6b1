// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../saxpy.cu with two buffers and cp.async of 16 bytes.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Tile = 512;

__global__ void saxpy(float *y, const float *x, float a, int count) {
  __shared__ alignas(16) float tileX[2][Tile], tileY[2][Tile];

  const auto copy = [&](int start, int buffer) {
    for (int i = threadIdx.x * 4; i < Tile; i += blockDim.x * 4) {
      const int there = min(count - start - i, 4);
      if (there > 0) {
        __pipeline_memcpy_async(&tileX[buffer][i], &x[start + i], 16, 16 - 4 * there);
        __pipeline_memcpy_async(&tileY[buffer][i], &y[start + i], 16, 16 - 4 * there);
      }
    }
    __pipeline_commit();
  };

  int buffer = 0;
  copy(blockIdx.x * Tile, 0);
  for (int start = blockIdx.x * Tile; start < count; start += Tile * gridDim.x, buffer ^= 1) {
    copy(start + Tile * gridDim.x, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = threadIdx.x; i < Tile; i += blockDim.x)
      if (start + i < count)
        y[start + i] = a * tileX[buffer][i] + tileY[buffer][i];
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 1, 5000), blocks = argument(argc, argv, 2, 3);
  const int threads = argument(argc, argv, 3, 128);
  const std::vector<float> x = floats(count, 1), y = floats(count, 2);
  float *deviceX = toDevice(x), *deviceY = toDevice(y);

  saxpy<<<blocks, threads>>>(deviceY, deviceX, 1.5f, count);
  const std::vector<float> got = toHost(deviceY, count);

  return verdict("saxpy", got, agree(got, [&](size_t i) { return 1.5 * x[i] + y[i]; }, 1e-6));
}
