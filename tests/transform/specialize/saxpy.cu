// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SAXPY in tiles: nothing is gained from shared memory here, which is what makes it a test. The size of the
// block comes with the launch.
#include "Harness.h"

constexpr int Tile = 512;

__global__ void saxpy(float *y, const float *x, float a, int count) {
  __shared__ float tileX[Tile], tileY[Tile];
  for (int start = blockIdx.x * Tile; start < count; start += Tile * gridDim.x) {
    for (int i = threadIdx.x; i < Tile; i += blockDim.x) {
      tileX[i] = start + i < count ? x[start + i] : 0.0f;
      tileY[i] = start + i < count ? y[start + i] : 0.0f;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < Tile; i += blockDim.x)
      if (start + i < count)
        y[start + i] = a * tileX[i] + tileY[i];
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
