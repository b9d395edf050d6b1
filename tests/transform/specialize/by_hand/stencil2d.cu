// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../stencil2d.cu with two buffers and cp.async.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Width = 32, Height = 8;

__global__ void stencil(float *out, const float *in, int nx, int ny) {
  __shared__ float tile[2][Height + 2][Width + 2];
  const int y = blockIdx.x * Height + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;

  const auto copy = [&](int left, int buffer) {
    const int x = left + threadIdx.x;
    const auto element = [&](int py, int px, int fromY, int fromX) {
      __pipeline_memcpy_async(&tile[buffer][py][px], &in[size_t(fromY) * nx + fromX], 4);
    };
    if (x < nx && y < ny)
      element(ty, tx, y, x);
    if (threadIdx.x == 0 && x > 0 && x <= nx && y < ny)
      element(ty, 0, y, x - 1);
    if (threadIdx.x == Width - 1 && x + 1 < nx && y < ny)
      element(ty, Width + 1, y, x + 1);
    if (threadIdx.y == 0 && y > 0 && y <= ny && x < nx)
      element(0, tx, y - 1, x);
    if (threadIdx.y == Height - 1 && y + 1 < ny && x < nx)
      element(Height + 1, tx, y + 1, x);
    __pipeline_commit();
  };

  int buffer = 0;
  copy(0, 0);
  for (int left = 0; left < nx; left += Width, buffer ^= 1) {
    const int x = left + threadIdx.x;
    copy(left + Width, buffer ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    if (x < nx && y < ny) {
      float value = tile[buffer][ty][tx];
      if (x > 0 && x + 1 < nx && y > 0 && y + 1 < ny)
        value = 0.5f * value + 0.125f * (tile[buffer][ty][tx - 1] + tile[buffer][ty][tx + 1] +
                                         tile[buffer][ty - 1][tx] + tile[buffer][ty + 1][tx]);
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
