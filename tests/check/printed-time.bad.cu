// expect: race/schedule
// check: --schedules 8
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number with the unit of a time that is a result: with the same order of warps, each run prints the same.
#include "Case.h"

#include <cstdio>

__device__ int arrived;

__global__ void ignite() {
  if (threadIdx.x % 32 == 0 && atomicAdd(&arrived, 1) == 7)
    printf("ignition delay %d ms\n", threadIdx.x);
}

int main() {
  ignite<<<1, 256>>>();
  return finish();
}
