// expect: clean
// check: --schedules 8
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every thread has a place of its own; only the number of them is counted.
#include "Case.h"

__global__ void collect(int *list, int *count) {
  list[threadIdx.x] = threadIdx.x;
  atomicAdd(count, 1);
}

int main() {
  int *list = zeros(256), host[256];
  collect<<<1, 256>>>(list, zeros(1));
  cudaMemcpy(host, list, sizeof host, cudaMemcpyDeviceToHost);
  return finish();
}
