// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marching cubes: one kernel says which corners of each cube lie inside of a surface, a second one makes the
// triangles of each cube and adds up their area, with the field's slope at each vertex. Few cubes hold a
// piece of the surface, and those hold from one to several triangles.
//
// For regrouping: the second kernel by=triangles[cases[cube]]. The table of cases is computed at the start:
// on each face of the cube the cut edges are joined in pairs, which makes loops, and each loop is a fan of
// triangles.
#include "Harness.h"

#include <algorithm>
#include <array>

constexpr int Threads = 128, Cases = 256, MostTriangles = 8, Balls = 12;

struct Ball {
  float x, y, z, weight;
};

/// Distance to a heap of balls, in a way: every product goes into a sum that says how it rounds.
__host__ __device__ inline float field(float x, float y, float z, const Ball *balls) {
  float sum = 0.0f;
  for (int i = 0; i < Balls; ++i) {
    const float dx = x - balls[i].x, dy = y - balls[i].y, dz = z - balls[i].z;
    sum = sum + balls[i].weight / fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, 0.01f)));
  }
  return sum;
}

__host__ __device__ inline int caseOf(int x, int y, int z, float cell, float level, const Ball *balls) {
  int which = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const float value = field(float(x + (corner & 1)) * cell, float(y + (corner >> 1 & 1)) * cell,
                              float(z + (corner >> 2)) * cell, balls);
    which |= (value > level) << corner;
  }
  return which;
}

__global__ void classify(int *cases, float cell, float level, const Ball *balls, int side) {
  const int cube = blockIdx.x * blockDim.x + threadIdx.x;
  if (cube < side * side * side)
    cases[cube] = caseOf(cube % side, cube / side % side, cube / (side * side), cell, level, balls);
}

struct Point {
  float x, y, z;
};

/// Where the surface cuts an edge of a cube (both corners of it in one number), by halving.
__host__ __device__ inline Point vertexOn(int edge, int x, int y, int z, float cell, float level,
                                          const Ball *balls) {
  const int from = edge >> 3, to = edge & 7;
  Point a{float(x + (from & 1)) * cell, float(y + (from >> 1 & 1)) * cell, float(z + (from >> 2)) * cell};
  Point b{float(x + (to & 1)) * cell, float(y + (to >> 1 & 1)) * cell, float(z + (to >> 2)) * cell};
  const bool isInside = field(a.x, a.y, a.z, balls) > level;
  for (int halving = 0; halving < 6; ++halving) {
    const Point middle{0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z)};
    if ((field(middle.x, middle.y, middle.z, balls) > level) == isInside)
      a = middle;
    else
      b = middle;
  }
  return {0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z)};
}

__host__ __device__ inline float areaOf(const Point &a, const Point &b, const Point &c) {
  const float ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
  const float vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
  const float nx = fmaf(uy, vz, -uz * vy), ny = fmaf(uz, vx, -ux * vz), nz = fmaf(ux, vy, -uy * vx);
  return 0.5f * sqrtf(fmaf(nx, nx, fmaf(ny, ny, nz * nz)));
}

__host__ __device__ inline float surfaceOf(int which, int x, int y, int z, const int *triangles,
                                           const int *edges, float cell, float level, const Ball *balls) {
  float area = 0.0f;
  for (int triangle = 0; triangle < triangles[which]; ++triangle) {
    const int *const three = edges + 3 * (which * MostTriangles + triangle);
    const Point a = vertexOn(three[0], x, y, z, cell, level, balls);
    const Point b = vertexOn(three[1], x, y, z, cell, level, balls);
    const Point c = vertexOn(three[2], x, y, z, cell, level, balls);
    area = area + areaOf(a, b, c);
  }
  return area;
}

__global__ void polygonize(float *area, const int *cases, const int *triangles, const int *edges, float cell,
                           float level, const Ball *balls, int side) {
  const int cube = blockIdx.x * blockDim.x + threadIdx.x;
  if (cube >= side * side * side)
    return;
  area[cube] = surfaceOf(cases[cube], cube % side, cube / side % side, cube / (side * side), triangles, edges,
                         cell, level, balls);
}

struct Table {
  std::vector<int> triangles = std::vector<int>(Cases), edges = std::vector<int>(Cases * MostTriangles * 3);
};

/// The pairs of cut edges that one face joins: around it in turn, and where all four are cut, those on both
/// sides of each corner inside.
static void joinOnFace(int which, const std::array<int, 4> &corners,
                       std::vector<std::array<int, 2>> &joined) {
  const auto isInside = [&](int i) { return which >> corners[i & 3] & 1; };
  const auto edge = [&](int i) {
    const int a = corners[i & 3], b = corners[(i + 1) & 3];
    return std::min(a, b) << 3 | std::max(a, b);
  };
  std::vector<int> cut;
  for (int i = 0; i < 4; ++i)
    if (isInside(i) != isInside(i + 1))
      cut.push_back(edge(i));
  if (cut.size() == 2)
    joined.push_back({cut[0], cut[1]});
  for (int i = 0; cut.size() == 4 && i < 4; ++i)
    if (isInside(i))
      joined.push_back({edge(i + 3), edge(i)});
}

static Table makeTable() {
  Table table;
  for (int which = 0; which < Cases; ++which) {
    std::vector<std::array<int, 2>> joined;
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) {
        const int u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
        joinOnFace(which, {base, base | u, base | u | v, base | v}, joined);
      }
    int count = 0;
    while (!joined.empty()) { // follow one loop
      std::vector<int> loop = {joined.back()[0], joined.back()[1]};
      joined.pop_back();
      for (;;) {
        const auto next = std::find_if(joined.begin(), joined.end(), [&](const std::array<int, 2> &pair) {
          return pair[0] == loop.back() || pair[1] == loop.back();
        });
        if (next == joined.end())
          break;
        loop.push_back((*next)[0] == loop.back() ? (*next)[1] : (*next)[0]);
        joined.erase(next);
      }
      loop.pop_back(); // where it began
      for (size_t i = 2; i < loop.size(); ++i, ++count)
        for (int corner = 0; corner < 3; ++corner)
          table.edges.at(3 * (which * MostTriangles + count) + corner) =
              loop[corner == 0 ? 0 : i - 2 + corner];
    }
    table.triangles[which] = count;
  }
  return table;
}

int main(int argc, char **argv) {
  const int side = argument(argc, argv, 1, 14), launches = argument(argc, argv, 2, 2);
  const int cubes = side * side * side;
  const float cell = 1.0f / float(side), level = 40.0f;
  const Table table = makeTable();
  Numbers numbers(111);
  std::vector<Ball> balls(Balls);
  for (Ball &ball : balls)
    ball = {numbers.between(0.1f, 0.9f), numbers.between(0.1f, 0.9f), numbers.between(0.1f, 0.9f),
            numbers.between(0.1f, 0.5f)};
  float *area = zeros<float>(cubes);
  int *cases = zeros<int>(cubes), *triangles = toDevice(table.triangles), *edges = toDevice(table.edges);
  Ball *deviceBalls = toDevice(balls);
  const int blocks = blocksFor(cubes, Threads);
  classify<<<blocks, Threads>>>(cases, cell, level, deviceBalls, side);
  for (int i = 0; i < launches; ++i)
    polygonize<<<blocks, Threads>>>(area, cases, triangles, edges, cell, level, deviceBalls, side);
  const std::vector<float> got = toHost(area, cubes);
  const auto wanted = [&](size_t i) {
    const int cube = int(i), x = cube % side, y = cube / side % side, z = cube / (side * side);
    return surfaceOf(caseOf(x, y, z, cell, level, balls.data()), x, y, z, table.triangles.data(),
                     table.edges.data(), cell, level, balls.data());
  };
  return verdict("marching_cubes", got, agree(got, wanted, 1e-5, 20000));
}
