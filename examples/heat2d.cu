// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat on a plate: a five-point stencil, several time steps in one launch. A block loads its tile with a rim
// as wide as the number of steps and advances it in shared memory; the part that is still right shrinks by
// one cell on each side in each step, and what is left at the end is the block's result.
#include "check.h"

constexpr int Tile = 16;
constexpr int Steps = 3;
constexpr int Inner = Tile - 2 * Steps; // what a block writes
constexpr float Rate = 0.2f;

__global__ void heat(float *next, const float *now, int width, int height) {
  __shared__ float plate[Tile][Tile];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int x = blockIdx.x * Inner + tx - Steps;
  int y = blockIdx.y * Inner + ty - Steps;
  bool inside = x >= 0 && x < width && y >= 0 && y < height;
  bool onEdge = x == 0 || x == width - 1 || y == 0 || y == height - 1;

  plate[ty][tx] = inside ? now[y * width + x] : 0.0f;
  __syncthreads();

  for (int step = 1; step <= Steps; ++step) {
    bool active = tx >= step && tx < Tile - step && ty >= step && ty < Tile - step && inside && !onEdge;
    float warmer = 0.0f;
    if (active) {
      float center = plate[ty][tx];
      float around = plate[ty - 1][tx] + plate[ty + 1][tx] + plate[ty][tx - 1] + plate[ty][tx + 1];
      warmer = center + Rate * (around - 4.0f * center);
    }
    __syncthreads(); // all have read this step's plate
    if (active)
      plate[ty][tx] = warmer;
    __syncthreads(); // all have written the next one
  }

  bool mine = tx >= Steps && tx < Tile - Steps && ty >= Steps && ty < Tile - Steps;
  if (mine && inside)
    next[y * width + x] = plate[ty][tx];
}

/// The plate's edge keeps its temperature.
static void stepOnHost(std::vector<float> &next, const std::vector<float> &now, int width, int height) {
  next = now;
  for (int y = 1; y < height - 1; ++y)
    for (int x = 1; x < width - 1; ++x) {
      const float *cell = &now[y * width + x];
      const float around = cell[-width] + cell[width] + cell[-1] + cell[1];
      next[y * width + x] = *cell + Rate * (around - 4.0f * *cell);
    }
}

int main(int argc, char **argv) {
  const int width = sizeArgument(argc, argv, 64);
  const int height = width / 2 + 3;
  const int launches = 2;
  std::vector<float> plate(size_t(width) * height, 20.0f), next;
  for (int y = height / 4; y < height / 2; ++y)
    for (int x = width / 4; x < width / 2; ++x)
      plate[y * width + x] = 100.0f;

  float *deviceNow = toDevice(plate);
  float *deviceNext = toDevice(plate);
  const dim3 block(Tile, Tile);
  const dim3 grid((width + Inner - 1) / Inner, (height + Inner - 1) / Inner);
  for (int launch = 0; launch < launches; ++launch) {
    heat<<<grid, block>>>(deviceNext, deviceNow, width, height);
    CHECK(cudaGetLastError());
    float *swapped = deviceNow;
    deviceNow = deviceNext;
    deviceNext = swapped;
  }
  std::vector<float> got(plate.size());
  toHost(got, deviceNow);

  for (int step = 0; step < launches * Steps; ++step) {
    stepOnHost(next, plate, width, height);
    plate.swap(next);
  }
  const bool passed = allClose(got, plate, 1e-5);
  CHECK(cudaFree(deviceNow));
  CHECK(cudaFree(deviceNext));
  return verdict("heat2d", passed);
}
