// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids and blocks of two and three dimensions, ragged at every edge.
#include "Check.h"

__global__ void stencil2d(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  auto at = [&](int i, int j) {
    i = i < 0 ? 0 : i >= width ? width - 1 : i;
    j = j < 0 ? 0 : j >= height ? height - 1 : j;
    return in[j * width + i];
  };
  out[y * width + x] = at(x, y) * 2 + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1);
}

__global__ void number(int *out, int3 extent) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < extent.x && y < extent.y && z < extent.z)
    out[(z * extent.y + y) * extent.x + x] += x + 100 * y + 10000 * z;
}

// Lanes are numbered along x first, then y, then z.
__global__ void laneNumbers(int *wrong) {
  int linear = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane != linear % 32 || gridDim.x != 2 || gridDim.y != 3 || gridDim.z != 4)
    atomicAdd(wrong, 1);
  atomicAdd(wrong + 1, 1);
}

int main() {
  constexpr int width = 67, height = 45;
  std::vector<float> picture(width * height);
  for (int i = 0; i < width * height; ++i)
    picture[i] = float(i * 37 % 101);
  DeviceArray<float> in(picture), out(width * height);
  stencil2d<<<dim3(5, 6), dim3(16, 8)>>>(in, out, width, height);
  CHECK_LAUNCH();
  std::vector<float> got = out.host();
  auto at = [&](int i, int j) {
    i = i < 0 ? 0 : i >= width ? width - 1 : i;
    j = j < 0 ? 0 : j >= height ? height - 1 : j;
    return picture[j * width + i];
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      CHECK(got[y * width + x] == at(x, y) * 2 + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1));

  int3 extent = make_int3(13, 7, 9);
  DeviceArray<int> cube(13 * 7 * 9);
  number<<<dim3(4, 3, 2), dim3(4, 3, 5)>>>(cube, extent);
  CHECK_LAUNCH();
  std::vector<int> numbers = cube.host();
  for (int i = 0; i < 13 * 7 * 9; ++i)
    CHECK(numbers[i] == i % 13 + 100 * (i / 13 % 7) + 10000 * (i / 91));

  DeviceArray<int> wrong(2);
  laneNumbers<<<dim3(2, 3, 4), dim3(5, 3, 7)>>>(wrong);
  CHECK_LAUNCH();
  CHECK(wrong.host()[0] == 0 && wrong.host()[1] == 24 * 105);
  return pass();
}
