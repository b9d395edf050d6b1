// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One Jacobi sweep over a cube: a thread for each column (x, y), a loop along z. Neighbours read each other's
// columns from global memory. (Section 5.2, figure 7, in Unkule, Shaltz and Qasem, "Automatic restructuring
// of GPU kernels for exploiting inter-thread data locality", CC 2012, puts its directives on this kernel.)
#include "check.h"

constexpr int BlockX = 32, BlockY = 8;

__global__ void jacobi(float *next, const float *now, int n, float weight) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1)
    return;
  for (int z = 1; z < n - 1; ++z) {
    int at = (z * n + y) * n + x;
    next[at] =
        (now[at - n * n] + now[at + n * n] + now[at - n] + now[at + n] + now[at - 1] + now[at + 1]) * weight;
  }
}

static std::vector<float> expected(const std::vector<float> &now, int n, float weight) {
  std::vector<float> next(now.size(), 0.0f);
  for (int z = 1; z < n - 1; ++z)
    for (int y = 1; y < n - 1; ++y)
      for (int x = 1; x < n - 1; ++x) {
        const float *cell = &now[(size_t(z) * n + y) * n + x];
        next[cell - now.data()] =
            (cell[-n * n] + cell[n * n] + cell[-n] + cell[n] + cell[-1] + cell[1]) * weight;
      }
  return next;
}

int main(int argc, char **argv) {
  const int n = sizeArgument(argc, argv, 36);
  std::vector<float> now(size_t(n) * n * n), next(now.size(), 0.0f);
  for (size_t i = 0; i < now.size(); ++i)
    now[i] = float((i * 31) % 127) - 60.0f;

  float *deviceNow = toDevice(now);
  float *deviceNext = toDevice(next);
  const dim3 block(BlockX, BlockY);
  const dim3 grid((n + BlockX - 1) / BlockX, (n + BlockY - 1) / BlockY);
  jacobi<<<grid, block>>>(deviceNext, deviceNow, n, 0.125f);
  CHECK(cudaGetLastError());
  toHost(next, deviceNext);

  // Integers times 1/8: exact in any order.
  const bool passed = allClose(next, expected(now, n, 0.125f), 0.0);
  CHECK(cudaFree(deviceNow));
  CHECK(cudaFree(deviceNext));
  return verdict("jacobi3d", passed);
}
