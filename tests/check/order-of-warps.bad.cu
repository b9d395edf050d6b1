// expect: race/schedule
// check: --schedules 8
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nothing races, yet which thread finds which place in the list depends on who comes first.
#include "Case.h"

__global__ void collect(int *list, int *count) { list[atomicAdd(count, 1)] = threadIdx.x; }

int main() {
  int *list = zeros(256), host[256];
  collect<<<1, 256>>>(list, zeros(1));
  cudaMemcpy(host, list, sizeof host, cudaMemcpyDeviceToHost);
  return finish();
}
