// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Escape-time fractal: a thread iterates z^2 + c for one pixel until it escapes. Pixels inside the set take
// all iterations, those outside a few; along the border neighbours differ.
//
// For regrouping: nothing that is stored says how long a pixel takes. by=profile counts it; or a few
// iterations say whether it may be a long one: by=escapeTime(left+x*scale,top+y*scale,32). The block has two
// dimensions.
#include "Harness.h"

constexpr int ThreadsX = 16, ThreadsY = 16;

/// Every product goes into a sum that says how it rounds, so that both sides compute the same bits.
__host__ __device__ inline int escapeTime(float cx, float cy, int most) {
  float x = 0.0f, y = 0.0f;
  int steps = 0;
  while (steps < most && fmaf(x, x, y * y) <= 4.0f) {
    const float next = fmaf(x, x, fmaf(-y, y, cx));
    y = fmaf(x + x, y, cy);
    x = next;
    ++steps;
  }
  return steps;
}

__global__ void render(int *steps, int width, int height, float left, float top, float scale, int most) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  steps[y * width + x] = escapeTime(fmaf(float(x), scale, left), fmaf(float(y), scale, top), most);
}

int main(int argc, char **argv) {
  const int width = argument(argc, argv, 1, 75), height = argument(argc, argv, 2, 50);
  const int most = argument(argc, argv, 3, 300), launches = argument(argc, argv, 4, 2);
  const float left = -2.2f, top = -1.2f, scale = 2.4f / float(height);
  int *steps = zeros<int>(size_t(width) * height);
  const dim3 block(ThreadsX, ThreadsY), grid(blocksFor(width, ThreadsX), blocksFor(height, ThreadsY));
  for (int i = 0; i < launches; ++i)
    render<<<grid, block>>>(steps, width, height, left, top, scale, most);
  const std::vector<int> got = toHost(steps, size_t(width) * height);
  const auto wanted = [&](size_t i) {
    return escapeTime(std::fma(float(i % width), scale, left), std::fma(float(i / width), scale, top), most);
  };
  return verdict("fractal", got, agree(got, wanted, 0, 20000));
}
