// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pathfinder: the cheapest way down a grid, row by row, each cell reached from one of the three above it. A
// launch does several rows; the block's part that is right shrinks by one at each end with every row.
//
// For consolidation: two shared rows in turn, loads of the own element and of both neighbours at distance 1,
// two barriers per row. The edges of the grid turn a neighbour into the own element. (The paper ran blocks of
// one warp; the usual 256 threads leave something to consolidate.)
#include "Harness.h"

#include <algorithm>

constexpr int Threads = 256;
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

__global__ void pathfinder(int *after, const int *before, const int *wall, int columns, int firstRow,
                           int rows) {
  __shared__ int previous[Threads];
  __shared__ int result[Threads];
  const int tx = threadIdx.x;
  const int column = int(blockIdx.x) * (Threads - 2 * rows) + tx - rows;
  const bool exists = column >= 0 && column < columns;

  previous[tx] = exists ? before[column] : 0;
  __syncthreads();

  const int left = column > 0 ? tx - 1 : tx;
  const int right = column < columns - 1 ? tx + 1 : tx;
  for (int row = 0; row < rows; ++row) {
    const bool computes = exists && tx > row && tx < Threads - 1 - row;
    if (computes) {
      int cheapest = MIN(previous[left], previous[tx]);
      cheapest = MIN(cheapest, previous[right]);
      result[tx] = cheapest + wall[size_t(firstRow + row) * columns + column];
    }
    __syncthreads();
    if (computes)
      previous[tx] = result[tx];
    __syncthreads();
  }
  if (exists && tx >= rows && tx < Threads - rows)
    after[column] = previous[tx];
}

int main(int argc, char **argv) {
  const int columns = argument(argc, argv, 1, 1500), rows = argument(argc, argv, 2, 45),
            most = argument(argc, argv, 3, 20);
  if (most >= Threads / 2)
    return std::fprintf(stderr, "fewer than %d rows a launch\n", Threads / 2), 2;
  const std::vector<int> wall = integers(size_t(columns) * rows, 14, 10);

  int *deviceWall = toDevice(wall), *before = zeros<int>(columns), *after = zeros<int>(columns);
  for (int row = 0; row < rows; row += most) {
    const int now = std::min(most, rows - row);
    pathfinder<<<blocksFor(columns, Threads - 2 * now), Threads>>>(after, before, deviceWall, columns, row,
                                                                   now);
    std::swap(before, after);
  }
  const std::vector<int> got = toHost(before, columns);

  std::vector<int> cost(columns), next(columns);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column)
      next[column] =
          wall[size_t(row) * columns + column] +
          std::min({cost[std::max(column - 1, 0)], cost[column], cost[std::min(column + 1, columns - 1)]});
    cost.swap(next);
  }
  return verdict("pathfinder", got, agree(got, [&](size_t i) { return cost[i]; }, 0));
}
