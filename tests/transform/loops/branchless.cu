// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches that become choices: a store that both sides do, variables that one side sets, values that build on each
// other, integers, a branch without braces under another one.
#include "../coarsen/Harness.h"

__global__ void positive(const float *input, float *output, int n) {
  int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx < n) {
#pragma heddle branchless
    if (input[idx] > 0) {
      // Some operation for positive values
      output[idx] = input[idx] * 2.0f;
    } else {
      // Some operation for negative or zero values
      output[idx] = input[idx] + 1.0f;
    }
  }
}
// becomes: const float outputIfTrue = input[idx] * 2.0f;
// becomes: output[idx] = input[idx] > 0 ? outputIfTrue : outputIfFalse;

__global__ void several(const float *__restrict__ in, float *out, int *whole, int n) {
  int i = threadIdx.x;
  float value = in[i], low = 1.0f, high = 2.0f;
  int count = i;
#pragma heddle branchless
  if (value < 0.5f && i < n) {
    float scaled = value * 0.25f;
    low = scaled - high;
    high += low * 2.0f;
    ++count;
  } else {
    low -= in[i];
  }
#pragma heddle branchless
  if (count & 1)
    count = count * 3 + 1;
  else
    count /= 2;
#pragma heddle branchless
  if (low < high)
    high = low;
  for (int k = 0; k < 3; ++k)
    if (k < n)
#pragma heddle branchless
      if (high > k)
        high = sqrtf(fabsf(high)) - k;
      else
        high = 0;
  out[i] = low + high;
  whole[i] = count;
}
// becomes: const float highIfTrue2 = sqrtf(fabsf(high)) - k;
// becomes: count = (count & 1) ? count * 3 + 1 : count / 2;
// becomes: high = low < high ? low : high;

int main() {
  float *out = zeros<float>(128);
  positive<<<4, 32>>>(input<float>(128), out, 100);
  bring("positive", out, 128);
  int *whole = zeros<int>(64);
  several<<<1, 64>>>(input<float>(64, 5), out, whole, 50);
  bring("several", out, 64);
  bring("whole", whole, 64);
}
