// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ordinary load of what the launch writes; the read-only path for what it does not.
#include "Case.h"

__global__ void smooth(const int *__restrict__ in, int *data, int *out) {
  int i = threadIdx.x;
  data[i] = __ldg(&in[i]) + 1;
  __syncthreads();
  if (i > 0)
    out[i] = data[i - 1] + in[i];
}

int main() {
  smooth<<<1, 64>>>(numbers(64), zeros(64), zeros(64));
  return finish();
}
