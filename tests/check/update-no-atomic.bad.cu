// expect: race/global at 9
// hint: between the two orders them
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum is scaled each time: that is no atomicAdd(), and the hint does not advise one.
#include "Case.h"

__global__ void fold(const float *in, float *sum) {

  sum[0] = fmaf(sum[0], 0.5f, in[threadIdx.x]);
}

int main() {
  float *numbers = reinterpret_cast<float *>(zeros(64));
  fold<<<1, 64>>>(numbers, reinterpret_cast<float *>(zeros(1)));
  return finish();
}
