// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Five-point stencil, once: blocks of 32x8 go along a row of tiles. The border is not changed.
#include "Harness.h"

constexpr int Width = 32, Height = 8;

__global__ void stencil(float *out, const float *in, int nx, int ny) {
  __shared__ float tile[Height + 2][Width + 2];
  const int y = blockIdx.x * Height + threadIdx.y;
  for (int left = 0; left < nx; left += Width) {
    const int x = left + threadIdx.x, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    if (x < nx && y < ny)
      tile[ty][tx] = in[size_t(y) * nx + x];
    if (threadIdx.x == 0 && x > 0 && y < ny)
      tile[ty][0] = in[size_t(y) * nx + x - 1];
    if (threadIdx.x == Width - 1 && x + 1 < nx && y < ny)
      tile[ty][Width + 1] = in[size_t(y) * nx + x + 1];
    if (threadIdx.y == 0 && y > 0 && x < nx)
      tile[0][tx] = in[size_t(y - 1) * nx + x];
    if (threadIdx.y == Height - 1 && y + 1 < ny && x < nx)
      tile[Height + 1][tx] = in[size_t(y + 1) * nx + x];
    __syncthreads();
    if (x < nx && y < ny) {
      float value = tile[ty][tx];
      if (x > 0 && x + 1 < nx && y > 0 && y + 1 < ny)
        value = 0.5f * value +
                0.125f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
      out[size_t(y) * nx + x] = value;
    }
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  const int nx = sizeArgument(argc, argv, 1, 100), ny = sizeArgument(argc, argv, 2, 30);
  const std::vector<float> in = floats(size_t(nx) * ny, 1);
  float *deviceIn = toDevice(in), *out = zeros<float>(in.size());

  stencil<<<blocksFor(ny, Height), dim3(Width, Height)>>>(out, deviceIn, nx, ny);
  const std::vector<float> got = toHost(out, in.size());

  const auto wanted = [&](size_t at) {
    const int x = int(at % nx), y = int(at / nx);
    if (x == 0 || x + 1 == nx || y == 0 || y + 1 == ny)
      return double(in[at]);
    return 0.5 * in[at] + 0.125 * (double(in[at - 1]) + in[at + 1] + in[at - nx] + in[at + nx]);
  };
  return verdict("stencil2d", got, agree(got, wanted, 1e-6));
}
