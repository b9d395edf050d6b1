// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Mandelbrot set by escape time: neighbouring pixels leave the loop after very different numbers of
// steps, so the lanes of a warp wait for the slowest. The example for everything about divergence.
#include "check.h"

constexpr int MaxSteps = 200;

/// How many steps z = z^2 + c stays within 2, at most MaxSteps. Products are rounded one by one (no fused
/// multiply-add), so that host and device count alike; near the set's edge one bit decides.
__host__ __device__ static int escapeTime(float cx, float cy) {
  float x = 0.0f, y = 0.0f;
  int steps = 0;
  while (steps < MaxSteps) {
#ifdef __CUDA_ARCH__
    float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y), xy = __fmul_rn(x, y);
    if (__fadd_rn(xx, yy) > 4.0f)
      break;
    x = __fadd_rn(__fsub_rn(xx, yy), cx);
    y = __fadd_rn(__fadd_rn(xy, xy), cy);
#else
    volatile float xx = x * x, yy = y * y, xy = x * y;
    if (xx + yy > 4.0f)
      break;
    x = xx - yy + cx;
    y = xy + xy + cy;
#endif
    ++steps;
  }
  return steps;
}

/// `step` is a power of two, so the coordinates are exact whether or not a compiler fuses these operations.
__host__ __device__ static int pixel(int px, int py, float step) {
  return escapeTime(float(px) * step - 2.25f, float(py) * step - 1.25f);
}

__global__ void mandelbrot(int *steps, int width, int height, float step) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px < width && py < height)
    steps[py * width + px] = pixel(px, py, step);
}

int main(int argc, char **argv) {
  const int width = sizeArgument(argc, argv, 96);
  const int height = width * 5 / 6 + 1;
  float step = 1.0f;
  while (float(width) * step > 3.0f) // the set is 2.5 wide
    step /= 2.0f;
  std::vector<int> steps(size_t(width) * height, -1);

  int *deviceSteps = toDevice(steps);
  const dim3 block(16, 16);
  const dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  mandelbrot<<<grid, block>>>(deviceSteps, width, height, step);
  CHECK(cudaGetLastError());
  toHost(steps, deviceSteps);
  CHECK(cudaFree(deviceSteps));

  long differ = 0;
  for (int py = 0; py < height; ++py)
    for (int px = 0; px < width; ++px)
      differ += steps[py * width + px] != pixel(px, py, step);
  std::printf("%ld of %zu pixels differ\n", differ, steps.size());
  return verdict("mandelbrot", differ == 0);
}
