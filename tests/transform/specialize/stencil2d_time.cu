// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Five-point stencil with a time loop in the kernel: a block has a sheet of its own and sweeps over it strip
// by strip, step after step, to and fro between two arrays. What a step stores the next one loads, so the
// block meets between steps: producers, too, have to wait there.
#include "Harness.h"

constexpr int Threads = 128, Strip = 8; // rows of a strip; a sheet is up to Threads columns wide

__global__ void __launch_bounds__(Threads) relax(float *even, float *odd, int nx, int ny, int steps) {
  __shared__ float tile[Strip + 2][Threads];
  const size_t sheet = size_t(blockIdx.x) * nx * ny;
  const int x = threadIdx.x;
  for (int step = 0; step < steps; ++step) {
    const float *from = (step % 2 ? odd : even) + sheet;
    float *to = (step % 2 ? even : odd) + sheet;
    for (int top = 0; top < ny; top += Strip) {
      for (int r = 0; r < Strip + 2; ++r) {
        const int y = top + r - 1;
        tile[r][x] = x < nx && y >= 0 && y < ny ? from[size_t(y) * nx + x] : 0.0f;
      }
      __syncthreads();
      for (int r = 1; r <= Strip; ++r) {
        const int y = top + r - 1;
        const float left = x > 0 ? tile[r][x - 1] : 0.0f, right = x + 1 < nx ? tile[r][x + 1] : 0.0f;
        if (x < nx && y < ny)
          to[size_t(y) * nx + x] =
              0.5f * tile[r][x] + 0.125f * (left + right + tile[r - 1][x] + tile[r + 1][x]);
      }
      __syncthreads();
    }
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  const int nx = argument(argc, argv, 1, 100), ny = sizeArgument(argc, argv, 2, 21);
  const int steps = sizeArgument(argc, argv, 3, 5), sheets = argument(argc, argv, 4, 3);
  if (nx > Threads)
    return std::fprintf(stderr, "a sheet is at most %d wide\n", Threads), 2;
  const std::vector<float> in = floats(size_t(nx) * ny * sheets, 1);
  float *even = toDevice(in), *odd = zeros<float>(in.size());

  relax<<<sheets, Threads>>>(even, odd, nx, ny, steps);
  const std::vector<float> got = toHost(steps % 2 ? odd : even, in.size());

  std::vector<float> now = in, next(in.size());
  for (int step = 0; step < steps; ++step) {
    for (size_t at = 0; at < in.size(); ++at) {
      const int x = int(at % nx), y = int(at / nx % ny);
      const double left = x > 0 ? now[at - 1] : 0, right = x + 1 < nx ? now[at + 1] : 0;
      const double above = y > 0 ? now[at - nx] : 0, below = y + 1 < ny ? now[at + nx] : 0;
      next[at] = float(0.5 * now[at] + 0.125 * (left + right + above + below));
    }
    now.swap(next);
  }
  return verdict("stencil2d_time", got, agree(got, [&](size_t at) { return now[at]; }, 1e-6));
}
