// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow that differs by lane: nested loops, escapes, gotos, short-circuit conditions, then meeting
// again.
#include "Check.h"

__host__ __device__ int escapeTime(float cx, float cy, int limit) {
  float x = 0, y = 0;
  for (int i = 0; i < limit; ++i) {
    float nx = x * x - y * y + cx, ny = 2 * x * y + cy;
    x = nx, y = ny;
    if (x * x + y * y > 4)
      return i;
  }
  return limit;
}

__host__ __device__ int tangled(int seed) {
  int sum = 0;
  for (int i = 0; i < seed % 9 + 1; ++i) {
    for (int j = i; j < 12; j += 1 + seed % 3) {
      if ((i ^ j) % 5 == 4)
        goto next;
      if (j > 6 && seed % 2 && i != 3)
        break;
      sum += i * j + (seed >> (j % 4) & 1 ? j : -i);
    }
    if (sum > 400)
      return -sum;
  next:
    sum += seed % 7 == 0 || (i % 2 == 0 && seed % 11 > 4) ? 3 : 1;
  }
  return sum;
}

__global__ void picture(int *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = escapeTime(x * 0.0625f - 2.0f, y * 0.0625f - 1.0f, 50);
}

__global__ void tangle(int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = tangled(i * 37);
}

// After any divergence the whole warp must reconverge at the ballot.
__global__ void reconverge(unsigned *out) {
  int lane = threadIdx.x % 32, steps = 0;
  while (steps < lane)
    ++steps;
  if (lane % 4 == 1)
    steps *= 2;
  else if (lane % 4 == 2)
    for (int i = 0; i < lane; ++i)
      steps += i;
  __syncwarp();
  out[threadIdx.x] = __ballot_sync(0xffffffffu, steps > 20);
}

int main() {
  constexpr int width = 48, height = 32, n = 700;
  DeviceArray<int> image(width * height), values(n);
  picture<<<dim3(3, 4), dim3(16, 8)>>>(image, width, height);
  CHECK_LAUNCH();
  std::vector<int> got = image.host();
  int different = 0; // one may round a fused product differently from the host
  for (int i = 0; i < width * height; ++i)
    different += got[i] != escapeTime(i % width * 0.0625f - 2.0f, i / width * 0.0625f - 1.0f, 50);
  CHECK(different <= width * height / 50);
  tangle<<<6, 128>>>(values, n);
  CHECK_LAUNCH();
  got = values.host();
  for (int i = 0; i < n; ++i)
    CHECK(got[i] == tangled(i * 37));

  unsigned expected = 0;
  for (int lane = 0; lane < 32; ++lane) {
    int steps = lane;
    if (lane % 4 == 1)
      steps *= 2;
    else if (lane % 4 == 2)
      steps += lane * (lane - 1) / 2;
    expected |= unsigned(steps > 20) << lane;
  }
  DeviceArray<unsigned> votes(64);
  reconverge<<<1, 64>>>(votes);
  CHECK_LAUNCH();
  for (unsigned vote : votes.host())
    CHECK(vote == expected);
  return pass();
}
