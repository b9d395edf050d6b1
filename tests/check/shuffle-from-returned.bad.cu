// expect: warp/shuffle-source at 11
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes that returned early have no value to give.
#include "Case.h"

__global__ void difference(const int *in, int *out, int n) {
  int lane = threadIdx.x;
  if (lane >= n)
    return;
  int value = in[lane];
  int next = __shfl_down_sync(0xffffffff, value, 1);
  out[lane] = next - value;
}

int main() {
  difference<<<1, 32>>>(numbers(20), zeros(20), 20);
  return finish();
}
