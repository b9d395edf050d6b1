// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __managed__ variables, which host code reads and writes by their names. Clang has no such thing for CUDA.
#include "Check.h"

__managed__ int shared = 5;
__managed__ float samples[100];
__managed__ int *link;

__global__ void bump(int by) {
  shared += by;
  link = &shared;
  for (int i = 0; i < 100; ++i)
    samples[i] += i;
}

int main() {
  CHECK(shared == 5);
  samples[3] = 0.5f;
  bump<<<1, 1>>>(37);
  CHECK_LAUNCH();
  CHECK(shared == 42 && samples[3] == 3.5f && samples[99] == 99);
  CHECK(link == &shared && *link == 42);
  shared = 1;
  bump<<<1, 1>>>(1);
  CHECK_LAUNCH();
  int copy = 0;
  CHECK_CUDA(cudaMemcpyFromSymbol(&copy, shared, sizeof copy));
  CHECK(shared == 2 && copy == 2 && samples[99] == 198);
  return pass();
}
