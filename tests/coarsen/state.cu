// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that can live across a barrier: pointers, structs, arrays with first values, parameters that are changed,
// several variables in one declaration, references.
#include "Harness.h"

struct Pair {
  float low, high;
};

__global__ void fold(float *out, const float *in, int n) {
  __shared__ float tile[64];
  in += blockIdx.x * 64;
  out += blockIdx.x * 64 + threadIdx.x;
  int me = threadIdx.x, other = 63 - me;
  float recent[3] = {in[me], in[other]};
  Pair range{in[me], in[me] + 1.0f};
  const float *mine = in + me;
  float &slot = tile[me];
  slot = recent[0];
  __syncthreads();
  for (int step = 0; step < n; ++step) {
    float seen = tile[other];
    __syncthreads();
    recent[2] = recent[1];
    recent[1] = seen + mine[0];
    range.low = seen < range.low ? seen : range.low;
    range.high = range.high < seen ? seen : range.high;
    slot = recent[1] * 0.5f + recent[2];
    n -= step == 2 ? 1 : 0;
    __syncthreads();
  }
  *out = range.low + range.high * 2.0f + recent[0] + recent[2] + tile[me];
}

int main() {
  float *out = zeros<float>(64 * 4);
  fold<<<4, 64>>>(out, input<float>(64 * 4), 6);
  bring("fold", out, 64 * 4);
}
