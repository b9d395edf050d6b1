// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cooperative launch whose blocks all synchronize, several times, through grid.sync().
#include "Check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each round needs what another block wrote in the round before.
__global__ void rotate(int *a, int *b, int rounds) {
  cg::grid_group grid = cg::this_grid();
  int n = int(grid.size()), i = int(grid.thread_rank());
  for (int round = 0; round < rounds; ++round) {
    b[i] = a[(i + blockDim.x) % n] + 1;
    grid.sync();
    int *t = a;
    a = b;
    b = t;
  }
}

__global__ void reduceAll(const int *in, int *partial, int *out) {
  cg::grid_group grid = cg::this_grid();
  atomicAdd(&partial[blockIdx.x], in[grid.thread_rank()]);
  cg::sync(grid);
  if (grid.thread_rank() == 0) {
    int sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i)
      sum += partial[i];
    *out = grid.is_valid() ? sum : -1;
  }
}

int main() {
  int supported = 0;
  CHECK_CUDA(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
  CHECK(supported);

  constexpr int blocks = 8, threads = 64, n = blocks * threads;
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = i;
  DeviceArray<int> a(values), b(n);
  int *pa = a, *pb = b, rounds = 5;
  void *arguments[] = {&pa, &pb, &rounds};
  CHECK_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(rotate), dim3(blocks), dim3(threads),
                                         arguments, 0, nullptr));
  CHECK_LAUNCH();
  std::vector<int> got = b.host();
  for (int i = 0; i < n; ++i)
    CHECK(got[i] == (i + rounds * threads) % n + rounds);

  DeviceArray<int> in(values), partial(blocks), out(1);
  int *pin = in, *ppartial = partial, *pout = out;
  void *more[] = {&pin, &ppartial, &pout};
  CHECK_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(reduceAll), dim3(blocks),
                                         dim3(threads), more, 0, nullptr));
  CHECK_LAUNCH();
  CHECK(out.host()[0] == n * (n - 1) / 2);

  // More blocks than the device can hold at once cannot meet.
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(reduceAll), dim3(1 << 20), dim3(1024),
                                    more, 0, nullptr) == cudaErrorCooperativeLaunchTooLarge);
  CHECK(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
  return pass();
}
