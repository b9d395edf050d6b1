// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi sweep over a volume: a block of 32x4 marches along z, the plane it is in lies in shared memory, the
// planes before and after in registers.
//
// For consolidation: the plane is 128 elements in the order of the threads, so each thread owns one;
// neighbours in x are at distance 1, neighbours in y at distance 32, which is the same lane in the next
// register: no shuffle at all. Which neighbours are taken from the plane and which from global memory differs
// by lane.
#include "Harness.h"

#define TILE_X 32
#define TILE_Y 4
#define AT(x, y, z) now[((size_t)(z) * ny + (y)) * nx + (x)]

__global__ void jacobi(float *__restrict__ next, const float *__restrict__ now, int nx, int ny, int nz,
                       float centre, float around) {
  __shared__ float plane[TILE_X * TILE_Y];
  const int x = blockIdx.x * TILE_X + threadIdx.x;
  const int y = blockIdx.y * TILE_Y + threadIdx.y;
  const int cell = threadIdx.y * TILE_X + threadIdx.x;
  const bool exists = x < nx && y < ny;
  const bool inner = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;

  float before = exists ? AT(x, y, 0) : 0;
  float here = exists ? AT(x, y, 1) : 0;
  for (int z = 1; z < nz - 1; ++z) {
    const float after = exists ? AT(x, y, z + 1) : 0;
    plane[cell] = here;
    __syncthreads();
    if (inner) {
      const float west = threadIdx.x > 0 ? plane[cell - 1] : AT(x - 1, y, z);
      const float east = threadIdx.x < TILE_X - 1 ? plane[cell + 1] : AT(x + 1, y, z);
      const float south = threadIdx.y > 0 ? plane[cell - TILE_X] : AT(x, y - 1, z);
      const float north = threadIdx.y < TILE_Y - 1 ? plane[cell + TILE_X] : AT(x, y + 1, z);
      next[(size_t(z) * ny + y) * nx + x] =
          around * (west + east + south + north + before + after) + centre * here;
    }
    __syncthreads();
    before = here;
    here = after;
  }
}

int main(int argc, char **argv) {
  const int nx = argument(argc, argv, 1, 50), ny = argument(argc, argv, 2, 18),
            nz = argument(argc, argv, 3, 12);
  if (nz < 2)
    return std::fprintf(stderr, "at least 2 planes\n"), 2;
  const std::vector<float> start = floats(size_t(nx) * ny * nz, 4, 0, 10);
  const float centre = 0.4f, around = 0.1f;

  float *now = toDevice(start), *next = toDevice(start); // the boundary is not changed
  dim3 block(TILE_X, TILE_Y);
  dim3 grid(blocksFor(nx, TILE_X), blocksFor(ny, TILE_Y));
  jacobi<<<grid, block>>>(next, now, nx, ny, nz, centre, around);
  const std::vector<float> got = toHost(next, start.size());

  const auto wanted = [&](size_t at) -> double {
    const int x = int(at % nx), y = int(at / nx % ny), z = int(at / nx / ny);
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1)
      return start[at];
    const size_t row = nx, plane = row * ny;
    return around * (double(start[at - 1]) + start[at + 1] + start[at - row] + start[at + row] +
                     start[at - plane] + start[at + plane]) +
           centre * double(start[at]);
  };
  return verdict("jacobi", got, agree(got, wanted, 1e-5));
}
