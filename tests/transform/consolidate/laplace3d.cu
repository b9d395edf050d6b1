// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laplace's equation in 3-D: a block of 32x4 marches along z with three planes of its tile in shared memory,
// each with a halo of one cell, which the first 72 threads load besides their own cell.
//
// For consolidation: which of the three planes is which turns with z, rows have 34 cells, and the halo lies
// where the thread number computes it to: addresses known at run time only, so the planes stay in shared
// memory.
#include "Harness.h"

constexpr int TileX = 32, TileY = 4;
constexpr int HaloCells = 2 * TileX + 2 * TileY;

struct Volume {
  int nx, ny, nz;
  __host__ __device__ size_t at(int x, int y, int z) const { return (size_t(z) * ny + y) * nx + x; }
  __host__ __device__ bool holds(int x, int y) const { return x >= 0 && x < nx && y >= 0 && y < ny; }
  __host__ __device__ bool inner(int x, int y, int z) const {
    return x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1;
  }
};

__global__ void laplace3d(float *next, const float *now, Volume volume) {
  __shared__ float planes[3][TileY + 2][TileX + 2];
  const int tx = threadIdx.x, ty = threadIdx.y, thread = tx + ty * TileX;
  const int x = blockIdx.x * TileX + tx, y = blockIdx.y * TileY + ty;

  // Rows above and below first, then the columns at the left and the right.
  int haloX = 0, haloY = 0;
  if (thread < 2 * TileX) {
    haloX = 1 + thread % TileX;
    haloY = thread < TileX ? 0 : TileY + 1;
  } else if (thread < HaloCells) {
    haloX = thread < 2 * TileX + TileY ? 0 : TileX + 1;
    haloY = 1 + (thread - 2 * TileX) % TileY;
  }
  const int fromX = blockIdx.x * TileX + haloX - 1, fromY = blockIdx.y * TileY + haloY - 1;
  const bool hasOwn = volume.holds(x, y), hasHalo = thread < HaloCells && volume.holds(fromX, fromY);

  for (int z = -1; z < volume.nz; ++z) {
    const int coming = (z + 1) % 3;
    if (z + 1 < volume.nz) {
      if (hasOwn)
        planes[coming][ty + 1][tx + 1] = now[volume.at(x, y, z + 1)];
      if (hasHalo)
        planes[coming][haloY][haloX] = now[volume.at(fromX, fromY, z + 1)];
    }
    __syncthreads();
    if (volume.inner(x, y, z)) {
      const int here = z % 3, gone = (z + 2) % 3;
      const float sum = planes[here][ty + 1][tx] + planes[here][ty + 1][tx + 2] + planes[here][ty][tx + 1] +
                        planes[here][ty + 2][tx + 1] + planes[gone][ty + 1][tx + 1] +
                        planes[coming][ty + 1][tx + 1];
      next[volume.at(x, y, z)] = sum * (1.0f / 6.0f);
    }
    // Not needed: of the plane that comes next only the own cell was read. Who cannot see that needs it.
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  const Volume volume = {argument(argc, argv, 1, 70), argument(argc, argv, 2, 14),
                         argument(argc, argv, 3, 9)};
  const std::vector<float> start = floats(volume.at(0, 0, volume.nz), 7);
  float *now = toDevice(start), *next = toDevice(start); // the boundary is not changed

  dim3 block(TileX, TileY, 1);
  dim3 grid(blocksFor(volume.nx, TileX), blocksFor(volume.ny, TileY), 1);
  laplace3d<<<grid, block>>>(next, now, volume);
  const std::vector<float> got = toHost(next, start.size());

  const auto wanted = [&](size_t i) -> double {
    const int x = int(i % volume.nx), y = int(i / volume.nx % volume.ny), z = int(i / volume.at(0, 0, 1));
    if (!volume.inner(x, y, z))
      return start[i];
    return (double(start[volume.at(x - 1, y, z)]) + start[volume.at(x + 1, y, z)] +
            start[volume.at(x, y - 1, z)] + start[volume.at(x, y + 1, z)] + start[volume.at(x, y, z - 1)] +
            start[volume.at(x, y, z + 1)]) /
           6;
  };
  return verdict("laplace3d", got, agree(got, wanted, 1e-5));
}
