// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ../stencil3d.cu with two buffers and cp.async: the next plane is copied while this one is computed on.
#include "../Harness.h"

#include <cuda_pipeline.h>

constexpr int Width = 32, Height = 4;

__global__ void __launch_bounds__(Width *Height)
    stencil(float *out, const float *in, int nx, int ny, int nz) {
  __shared__ float plane[2][Height + 2][Width + 2];
  const int left = blockIdx.x * Width, top = blockIdx.y * Height;
  const int x = left + threadIdx.x, y = top + threadIdx.y;
  const size_t layer = size_t(nx) * ny;
  const bool inside = x < nx && y < ny;

  const auto copy = [&](int z, int buffer) {
    for (int i = threadIdx.y * Width + threadIdx.x; z < nz && i < (Height + 2) * (Width + 2);
         i += Width * Height) {
      const int py = i / (Width + 2), px = i % (Width + 2);
      const int fromX = left + px - 1, fromY = top + py - 1;
      const bool there = fromX >= 0 && fromX < nx && fromY >= 0 && fromY < ny;
      __pipeline_memcpy_async(&plane[buffer][py][px],
                              there ? &in[z * layer + size_t(fromY) * nx + fromX] : in, 4, there ? 0 : 4);
    }
    __pipeline_commit();
  };

  float below = 0;
  float here = inside && nz > 0 ? in[size_t(y) * nx + x] : 0.0f;
  int buffer = 0;
  copy(0, 0);
  for (int z = 0; z < nz; ++z, buffer ^= 1) {
    copy(z + 1, buffer ^ 1);
    const float above = inside && z + 1 < nz ? in[(z + 1) * layer + size_t(y) * nx + x] : 0.0f;
    __pipeline_wait_prior(1);
    __syncthreads();
    const int px = threadIdx.x + 1, py = threadIdx.y + 1;
    if (inside)
      out[z * layer + size_t(y) * nx + x] =
          0.4f * here + 0.1f * (plane[buffer][py][px - 1] + plane[buffer][py][px + 1] +
                                plane[buffer][py - 1][px] + plane[buffer][py + 1][px] + below + above);
    below = here;
    here = above;
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  const int nx = argument(argc, argv, 1, 40), ny = argument(argc, argv, 2, 10),
            nz = sizeArgument(argc, argv, 3, 9);
  const std::vector<float> in = floats(size_t(nx) * ny * nz, 1);
  float *deviceIn = toDevice(in), *out = zeros<float>(in.size());

  stencil<<<dim3(blocksFor(nx, Width), blocksFor(ny, Height)), dim3(Width, Height)>>>(out, deviceIn, nx, ny,
                                                                                      nz);
  const std::vector<float> got = toHost(out, in.size());

  const auto wanted = [&](size_t at) {
    const int x = int(at % nx), y = int(at / nx % ny), z = int(at / nx / ny);
    const auto value = [&](int dx, int dy, int dz) {
      const bool there =
          x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny && z + dz >= 0 && z + dz < nz;
      return there ? double(in[(size_t(z + dz) * ny + y + dy) * nx + x + dx]) : 0.0;
    };
    return 0.4 * value(0, 0, 0) + 0.1 * (value(-1, 0, 0) + value(1, 0, 0) + value(0, -1, 0) + value(0, 1, 0) +
                                         value(0, 0, -1) + value(0, 0, 1));
  };
  return verdict("stencil3d", got, agree(got, wanted, 1e-6, 20000));
}
