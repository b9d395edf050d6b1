// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes beyond the end stay and take part.
#include "Case.h"

__global__ void difference(const int *in, int *out, int n) {
  int lane = threadIdx.x;
  int value = in[lane < n ? lane : n - 1];
  int next = __shfl_down_sync(0xffffffff, value, 1);
  if (lane < n)
    out[lane] = next - value;
}

int main() {
  difference<<<1, 32>>>(numbers(20), zeros(20), 20);
  return finish();
}
