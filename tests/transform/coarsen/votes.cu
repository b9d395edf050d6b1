// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Votes of the block: any, all, how many; what they decide about has barriers inside.
// axes: x y xy
#include "Harness.h"

constexpr int Wide = 32, High = 16;

__global__ void votes(int *out, const float *in, float limit) {
  __shared__ float tile[Wide * High];
  const int me = threadIdx.y * blockDim.x + threadIdx.x;
  float value = in[blockIdx.x * Wide * High + me];
  int rounds = 0;
  int high = __syncthreads_count(value > limit);
  if (__syncthreads_or(value > 255.0f)) {
    tile[me] = value;
    __syncthreads();
    value += tile[Wide * High - 1 - me];
  }
  if (!__syncthreads_and(value < 400.0f))
    ++rounds;
  do {
    value *= 0.5f;
    ++rounds;
  } while (__syncthreads_or(value > 2.0f || value < -2.0f));
  int alike;
  alike = __syncthreads_count(limit > 0.0f);
  out[blockIdx.x * Wide * High + me] = high * 10000 + rounds * 1000 + alike + int(value * 8.0f);
}

int main() {
  int *out = zeros<int>(Wide * High * 3);
  votes<<<3, dim3(Wide, High)>>>(out, input<float>(Wide * High * 3), 100.0f);
  bring("votes", out, Wide * High * 3);
}
