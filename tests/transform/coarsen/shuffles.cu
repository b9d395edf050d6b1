// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warp operations: correct where warps are whole.
// refuses: map=blocked: into one thread
// refuses: x=(8|16): would be split
#include "Harness.h"

__global__ void warpSums(int *sums, int *ranks, const int *in) {
  __shared__ int partial[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = in[i];
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  unsigned positive = __ballot_sync(0xffffffffu, in[i] > 0);
  ranks[i] = __popc(positive & ((1u << lane) - 1));
  if (lane == 0)
    partial[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    int total = 0;
    for (int w = 0; w < 4; ++w)
      total += partial[w];
    sums[blockIdx.x] = total;
  }
}

int main() {
  const int n = 128 * 6;
  int *sums = zeros<int>(6), *ranks = zeros<int>(n);
  warpSums<<<6, 128>>>(sums, ranks, input<int>(n));
  bring("sums", sums, 6);
  bring("ranks", ranks, n);
}
