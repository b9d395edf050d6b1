// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rays against an uneven scene: a thread follows one ray through a grid of cells and tries the balls of each
// cell it comes through, until one is hit. Balls lie in heaps: some cells hold dozens, most none. Where a ray
// goes is given with it, so that neighbouring threads may have anything to do.
//
// For regrouping: by=weight[ray], the number of balls in the ray's row of cells, which the program that made the rays
// stored; or by=profile.
#include "Harness.h"

#include <algorithm>

constexpr int Threads = 128;
constexpr float Never = 1e30f;

struct Ray {
  float x, y, slope; ///< starts at (0, y, x) and goes along z by one cell a step, drifting by `slope` in x
  int row;           ///< of cells, in y
};
struct Ball {
  float x, y, z, square; ///< its middle, and its radius squared
};

/// Where the ray meets the ball, or never. Every product goes into a sum that says how it rounds.
__host__ __device__ inline float meet(const Ray &ray, const Ball &ball) {
  const float dx = ray.x - ball.x, dy = ray.y - ball.y, dz = -ball.z;
  const float a = fmaf(ray.slope, ray.slope, 1.0f);
  const float b = fmaf(dx, ray.slope, dz);
  const float c = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, -ball.square)));
  const float inner = fmaf(b, b, -a * c);
  if (inner < 0.0f)
    return Never;
  const float distance = (-b - sqrtf(inner)) / a;
  return distance > 0.0f ? distance : Never;
}

__host__ __device__ inline float trace(const Ray &ray, const int *cellBegin, const Ball *balls, int cells) {
  float nearest = Never;
  for (int cell = 0; cell < cells && nearest == Never; ++cell) {
    const int number = ray.row * cells + cell;
    for (int ball = cellBegin[number]; ball < cellBegin[number + 1]; ++ball)
      nearest = fminf(nearest, meet(ray, balls[ball]));
  }
  return nearest;
}

__global__ void shoot(float *distance, const Ray *rays, const int *weight, const int *cellBegin,
                      const Ball *balls, int cells, int count) {
  const int ray = blockIdx.x * blockDim.x + threadIdx.x;
  if (ray >= count)
    return;
  distance[ray] = weight[ray] == 0 ? Never : trace(rays[ray], cellBegin, balls, cells);
}

struct Scene {
  std::vector<int> cellBegin;
  std::vector<Ball> balls;
};

static Scene makeScene(int rows, int cells, int mostBalls) {
  Numbers numbers(101);
  std::vector<int> counts(size_t(rows) * cells);
  for (int &count : counts)
    count = numbers.below(8) ? 0 : unevenLength(numbers, 1, mostBalls);
  for (int row = 0; row < rows; row += 5) // nothing at all to hit
    std::fill_n(counts.begin() + size_t(row) * cells, cells, 0);
  Scene scene{beginnings(counts), {}};
  for (size_t cell = 0; cell < counts.size(); ++cell)
    for (int i = 0; i < counts[cell]; ++i) {
      const float radius = numbers.between(0.01f, 0.06f);
      scene.balls.push_back({numbers.between(0, 1), float(cell / cells) + numbers.between(0, 1),
                             float(cell % cells) + numbers.between(0.1f, 0.9f), radius * radius});
    }
  scene.balls.push_back({}); // never empty
  return scene;
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 2000), cells = argument(argc, argv, 2, 24);
  const int mostBalls = argument(argc, argv, 3, 40), launches = argument(argc, argv, 4, 2);
  const int rows = 64;
  const Scene scene = makeScene(rows, cells, mostBalls);
  Numbers numbers(102);
  std::vector<Ray> rays(count);
  std::vector<int> weights(count);
  for (int i = 0; i < count; ++i) {
    const int row = numbers.below(rows);
    rays[i] = {numbers.between(0, 1), float(row) + numbers.between(0, 1), numbers.between(-0.02f, 0.02f),
               row};
    weights[i] = scene.cellBegin[size_t(row + 1) * cells] - scene.cellBegin[size_t(row) * cells];
  }
  float *distance = zeros<float>(count);
  Ray *deviceRays = toDevice(rays);
  Ball *balls = toDevice(scene.balls);
  int *weight = toDevice(weights), *cellBegin = toDevice(scene.cellBegin);
  for (int i = 0; i < launches; ++i)
    shoot<<<blocksFor(count, Threads), Threads>>>(distance, deviceRays, weight, cellBegin, balls, cells,
                                                  count);
  const std::vector<float> got = toHost(distance, count);
  const auto wanted = [&](size_t i) {
    return weights[i] == 0 ? Never : trace(rays[i], scene.cellBegin.data(), scene.balls.data(), cells);
  };
  return verdict("rays", got, agree(got, wanted, 1e-5, 20000));
}
