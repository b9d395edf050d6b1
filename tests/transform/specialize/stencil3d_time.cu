// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seven-point stencil with a time loop on the host. Three planes in shared memory, all loaded again for every
// z: more traffic than needed, but that is how it is often written first.
#include "Harness.h"

#include <utility>

constexpr int Width = 16, Height = 8;

__global__ void step(float *out, const float *in, int nx, int ny, int nz) {
  __shared__ float planes[3][Height + 2][Width + 2];
  const int x = blockIdx.x * Width + threadIdx.x, y = blockIdx.y * Height + threadIdx.y;
  int z = 1;
  while (z < nz - 1) {
    for (int p = 0; p < 3; ++p)
      for (int py = threadIdx.y; py < Height + 2; py += Height)
        for (int px = threadIdx.x; px < Width + 2; px += Width) {
          const int fromX = blockIdx.x * Width + px - 1, fromY = blockIdx.y * Height + py - 1;
          if (fromX >= 0 && fromX < nx && fromY >= 0 && fromY < ny)
            planes[p][py][px] = in[(size_t(z + p - 1) * ny + fromY) * nx + fromX];
        }
    __syncthreads();
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
      const int px = threadIdx.x + 1, py = threadIdx.y + 1;
      out[(size_t(z) * ny + y) * nx + x] =
          0.4f * planes[1][py][px] +
          0.1f * (planes[1][py][px - 1] + planes[1][py][px + 1] + planes[1][py - 1][px] +
                  planes[1][py + 1][px] + planes[0][py][px] + planes[2][py][px]);
    }
    __syncthreads();
    ++z;
  }
}

int main(int argc, char **argv) {
  const int nx = argument(argc, argv, 1, 36), ny = argument(argc, argv, 2, 12),
            nz = sizeArgument(argc, argv, 3, 7);
  const int steps = sizeArgument(argc, argv, 4, 3);
  std::vector<float> now = floats(size_t(nx) * ny * nz, 1), next = now;
  float *in = toDevice(now), *out = toDevice(now);

  for (int i = 0; i < steps; ++i) {
    step<<<dim3(blocksFor(nx, Width), blocksFor(ny, Height)), dim3(Width, Height)>>>(out, in, nx, ny, nz);
    std::swap(in, out);
  }
  const std::vector<float> got = toHost(in, now.size());

  for (int i = 0; i < steps; ++i) {
    for (int z = 1; z < nz - 1; ++z)
      for (int y = 1; y < ny - 1; ++y)
        for (int x = 1; x < nx - 1; ++x) {
          const size_t at = (size_t(z) * ny + y) * nx + x, layer = size_t(nx) * ny;
          next[at] = float(0.4 * now[at] + 0.1 * (double(now[at - 1]) + now[at + 1] + now[at - nx] +
                                                  now[at + nx] + now[at - layer] + now[at + layer]));
        }
    now.swap(next);
  }
  return verdict("stencil3d_time", got, agree(got, [&](size_t at) { return now[at]; }, 1e-6));
}
