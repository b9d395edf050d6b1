// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling of a volume: the largest of every 2x2x2 cells, by blocks of 8x4x4 threads, one axis after the
// other.
//
// For consolidation: a block with three dimensions, 128 threads. In the order of the threads the neighbours
// along x, y and z are at distances 1, 8 and 32: two shuffles and a plain register. Guards 'threadIdx.x % 2
// == 0' differ by lane.
#include "Harness.h"

#include <algorithm>

constexpr int BX = 8, BY = 4, BZ = 4;

__global__ void pool(int *out, const int *in, int nx, int ny, int nz) {
  __shared__ int cells[BZ][BY][BX];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  const int x = blockIdx.x * BX + tx, y = blockIdx.y * BY + ty, z = blockIdx.z * BZ + tz;
  const bool exists = x < nx && y < ny && z < nz;

  cells[tz][ty][tx] = exists ? in[(size_t(z) * ny + y) * nx + x] : -1;
  __syncthreads();
  if (tx % 2 == 0)
    cells[tz][ty][tx] = max(cells[tz][ty][tx], cells[tz][ty][tx + 1]);
  __syncthreads();
  if (tx % 2 == 0 && ty % 2 == 0)
    cells[tz][ty][tx] = max(cells[tz][ty][tx], cells[tz][ty + 1][tx]);
  __syncthreads();
  if (exists && tx % 2 == 0 && ty % 2 == 0 && tz % 2 == 0) {
    const int best = max(cells[tz][ty][tx], cells[tz + 1][ty][tx]);
    out[(size_t(z / 2) * ((ny + 1) / 2) + y / 2) * ((nx + 1) / 2) + x / 2] = best;
  }
}

int main(int argc, char **argv) {
  const int nx = argument(argc, argv, 1, 21), ny = argument(argc, argv, 2, 15),
            nz = argument(argc, argv, 3, 10);
  const std::vector<int> in = integers(size_t(nx) * ny * nz, 37, 1 << 20);
  const int outX = (nx + 1) / 2, outY = (ny + 1) / 2, outZ = (nz + 1) / 2;
  const size_t outCount = size_t(outX) * outY * outZ;

  int *deviceIn = toDevice(in), *out = zeros<int>(outCount);
  dim3 block(BX, BY, BZ);
  dim3 grid(blocksFor(nx, BX), blocksFor(ny, BY), blocksFor(nz, BZ));
  pool<<<grid, block>>>(out, deviceIn, nx, ny, nz);
  const std::vector<int> got = toHost(out, outCount);

  const auto wanted = [&](size_t at) {
    const int x = 2 * int(at % outX), y = 2 * int(at / outX % outY), z = 2 * int(at / outX / outY);
    int best = -1;
    for (int k = z; k < std::min(z + 2, nz); ++k)
      for (int j = y; j < std::min(y + 2, ny); ++j)
        for (int i = x; i < std::min(x + 2, nx); ++i)
          best = std::max(best, in[(size_t(k) * ny + j) * nx + i]);
    return best;
  };
  return verdict("block3d_pool", got, agree(got, wanted, 0));
}
