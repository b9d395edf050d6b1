// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that can live across a barrier: pointers, structs, arrays with first values, parameters that are changed,
// several variables in one declaration, references. And what is made of the thread's index long before it is used: where
// it is not used, nothing may be left of it, or the result compiles with a warning.
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

__global__ void blur(float *out, const float *in, int rounds) {
  __shared__ float row[64];
  const int lane = threadIdx.x, left = lane == 0 ? 0 : lane - 1;
  // where the block's elements are
  const int at = blockIdx.x * 64 + lane;
  float value = 0.0f; // so far

  for (int round = 0; round < rounds; ++round) {
    row[lane] = in[at] + value;
    __syncthreads();
    const int right = lane == 63 ? 63 : lane + 1, middle = lane;
    const float weight = 0.25f * round;
    __syncthreads();
    value += weight * (row[left] + row[right]) + row[middle];
    __syncthreads();
  }
  out[at] = value;
}

int main() {
  float *out = zeros<float>(64 * 4);
  fold<<<4, 64>>>(out, input<float>(64 * 4), 6);
  bring("fold", out, 64 * 4);
  blur<<<4, 64>>>(out, input<float>(64 * 4, 3), 3);
  bring("blur", out, 64 * 4);
}
