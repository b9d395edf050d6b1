// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rays that meet a wall, a ball or nothing, determined by a function; the kind is found by a loop over the scene.
// Every ray leaves a mark before its kind is asked for, also one that nothing comes of.
#include "../Harness.h"

struct Ball {
  float x, y, radius;
};

__device__ int nearest(const Ball *balls, int count, float x, float y) {
  int found = -1;
  float least = 1e30f;
  for (int b = 0; b < count; ++b) {
    const float dx = balls[b].x - x, dy = balls[b].y - y, d = dx * dx + dy * dy;
    if (d < balls[b].radius && d < least) {
      least = d;
      found = b;
    }
  }
  return found;
}

#define RAY (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void trace(float *light, int *marks, const float *rays, const Ball *balls, int count,
                      int ballCount) {
  const unsigned ray = RAY;
  if (ray >= unsigned(count))
    return;
  marks[ray] = 1;
  const float x = rays[2 * ray], y = rays[2 * ray + 1];
  if (x == y)
    return; // a mark all the same
  const int ball = nearest(balls, ballCount, x, y);
  if (ball >= 0) {
    float value = balls[ball].radius;
    for (int k = 0; k < 12; ++k)
      value = 0.5f * value + 0.3f * x;
    light[ray] = value;
  } else if (x < -0.9f) {
    light[ray] = 2.0f * y;
  } else {
    float value = 1.0f;
    for (int k = 0; k < 6; ++k)
      value = value * 0.75f + y;
    light[ray] = value;
  }
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 700), threads = argument(argc, argv, 2, 64);
  const int ballCount = sizeArgument(argc, argv, 3, 9);
  std::vector<float> rays = floats(size_t(count) * 2, 1);
  for (int i = 0; i < count; i += 5)
    rays[2 * i + 1] = rays[2 * i];
  const std::vector<float> places = floats(size_t(ballCount) * 3, 2);
  std::vector<Ball> balls(ballCount);
  for (int b = 0; b < ballCount; ++b)
    balls[b] = {places[3 * b], places[3 * b + 1], 0.1f * std::fabs(places[3 * b + 2])};
  float *deviceRays = toDevice(rays), *light = zeros<float>(count);
  Ball *deviceBalls = toDevice(balls);
  int *marks = zeros<int>(count);

  trace<<<blocksFor(count, threads), threads>>>(light, marks, deviceRays, deviceBalls, count, ballCount);
  const std::vector<float> got = toHost(light, count);
  const std::vector<int> marked = toHost(marks, count);

  const auto wanted = [&](size_t i) {
    const float x = rays[2 * i], y = rays[2 * i + 1];
    int ball = -1;
    float least = 1e30f;
    for (int b = 0; b < ballCount; ++b) {
      const float dx = balls[b].x - x, dy = balls[b].y - y, d = std::fma(dx, dx, dy * dy);
      if (d < balls[b].radius && d < least)
        least = d, ball = b;
    }
    double value = ball >= 0 ? balls[ball].radius : 1.0;
    for (int k = 0; k < (ball >= 0 ? 12 : 6); ++k)
      value = ball >= 0 ? 0.5 * value + 0.3 * x : value * 0.75 + y;
    return x == y ? 0.0 : ball < 0 && x < -0.9f ? 2.0 * y : value;
  };
  return verdict("rays", got, agree(got, wanted, 1e-4) && agree(marked, [](size_t) { return 1; }, 0));
}
