// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread folds all of them, in their order.
#include "Case.h"

__global__ void fold(const float *in, float *sum) {
  if (threadIdx.x == 0)
    for (unsigned i = 0; i < blockDim.x; ++i)
      sum[0] = fmaf(sum[0], 0.5f, in[i]);
}

int main() {
  float *numbers = reinterpret_cast<float *>(zeros(64));
  fold<<<1, 64>>>(numbers, reinterpret_cast<float *>(zeros(1)));
  return finish();
}
