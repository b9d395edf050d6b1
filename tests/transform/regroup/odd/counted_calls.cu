// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that is counted in functions which ask for the thread themselves: directly, through another one, and
// without a loop of their own. The counting kernel calls them as they are, the regrouped one copies that get whose work they
// do.
#include "../Harness.h"

__device__ int own() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ int lengthOf(const int *length) { return length[own()]; }

__device__ float walk(const int *length, float start) {
  float sum = start;
  for (int i = 0; i < lengthOf(length); ++i)
    sum = sum * 0.75f + float(own() % 7);
  return sum;
}

__global__ void work(float *out, const int *length, int n) {
  const int i = own();
  if (i >= n)
    return;
  out[i] = walk(length, float(i));
}

int main(int argc, char **argv) {
  const int n = argument(argc, argv, 1, 500);
  std::vector<int> length(n);
  for (int i = 0; i < n; ++i)
    length[i] = i * 37 % 23;
  int *deviceLength = toDevice(length);
  float *out = zeros<float>(n);
  for (int again = 0; again < 4; ++again)
    work<<<(n + 63) / 64, 64>>>(out, deviceLength, n);
  const std::vector<float> got = toHost(out, n);
  const auto wanted = [&](size_t at) {
    float sum = float(at);
    for (int i = 0; i < length[at]; ++i)
      sum = sum * 0.75f + float(at % 7);
    return double(sum);
  };
  return verdict("counted_calls", got, agree(got, wanted, 1e-4));
}
