// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../stencil2d_time.cu with two buffers and cp.async: within a step the next strip is copied while this one
// is computed on. The first strip of the next step cannot be: it is what this step stores.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Threads = 128, Strip = 8; // rows of a strip; a sheet is up to Threads columns wide

__global__ void __launch_bounds__(Threads) relax(float *even, float *odd, int nx, int ny, int steps) {
  __shared__ float tile[2][Strip + 2][Threads];
  const size_t sheet = size_t(blockIdx.x) * nx * ny;
  const int x = threadIdx.x;
  for (int step = 0; step < steps; ++step) {
    const float *from = (step % 2 ? odd : even) + sheet;
    float *to = (step % 2 ? even : odd) + sheet;

    const auto copy = [&](int top, int buffer) {
      for (int r = 0; top < ny && r < Strip + 2; ++r) {
        const int y = top + r - 1;
        const bool there = x < nx && y >= 0 && y < ny;
        __pipeline_memcpy_async(&tile[buffer][r][x], there ? &from[size_t(y) * nx + x] : from, 4,
                                there ? 0 : 4);
      }
      __pipeline_commit();
    };

    int buffer = 0;
    copy(0, 0);
    for (int top = 0; top < ny; top += Strip, buffer ^= 1) {
      copy(top + Strip, buffer ^ 1);
      __pipeline_wait_prior(1);
      __syncthreads();
      for (int r = 1; r <= Strip; ++r) {
        const int y = top + r - 1;
        const float left = x > 0 ? tile[buffer][r][x - 1] : 0.0f,
                    right = x + 1 < nx ? tile[buffer][r][x + 1] : 0.0f;
        if (x < nx && y < ny)
          to[size_t(y) * nx + x] = 0.5f * tile[buffer][r][x] +
                                   0.125f * (left + right + tile[buffer][r - 1][x] + tile[buffer][r + 1][x]);
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
