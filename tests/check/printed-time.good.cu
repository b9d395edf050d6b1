// expect: clean
// check: --schedules 4
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that prints how long its kernel took, and when it began: neither depends on the order of warps.
#include "Case.h"

#include <chrono>
#include <cstdio>

__global__ void count(int *sum) { atomicAdd(sum, 1); }

int main() {
  const auto begin = std::chrono::steady_clock::now();
  int *sum = zeros(1), host = 0;
  count<<<1, 256>>>(sum);
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  std::printf("sum %d\nkernel: %.3f us\nbegan at %lld\n", host, took.count(),
              static_cast<long long>(begin.time_since_epoch().count()));
  return finish();
}
