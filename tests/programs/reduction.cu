// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over a grid: tree in shared memory, warp tails, and the last block to finish adds up the others'.
#include "Check.h"

__device__ unsigned finished;

template <unsigned threads> __global__ void sumAll(const int *in, int n, int *partial, int *out) {
  __shared__ int cells[threads];
  __shared__ bool isLast;
  int sum = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads)
    sum += in[i];
  cells[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned s = threads / 2; s >= 32; s /= 2) {
    if (threadIdx.x < s)
      cells[threadIdx.x] += cells[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x < 32) {
    sum = cells[threadIdx.x];
    for (int s = 16; s > 0; s /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, s);
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    isLast = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x == 0) {
    sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
      sum += ((volatile int *)partial)[b];
    *out = sum;
  }
}

// The three barriers that also vote.
__global__ void blockVotes(int *out) {
  int i = threadIdx.x;
  int count = __syncthreads_count(i % 3 == 0);
  int all = __syncthreads_and(i < 1000);
  int any = __syncthreads_or(i == 77);
  int none = __syncthreads_or(i == 1000);
  out[i] = count * 8 + (all != 0) * 4 + (any != 0) * 2 + (none != 0);
}

int main() {
  constexpr int n = 10007;
  std::vector<int> values(n);
  int expected = 0;
  for (int i = 0; i < n; ++i) {
    values[i] = i * 31 % 1000 - 300;
    expected += values[i];
  }
  DeviceArray<int> in(values), partial(16), out(1);
  for (int round = 0; round < 2; ++round) {
    sumAll<128><<<16, 128>>>(in, n, partial, out);
    CHECK_LAUNCH();
    CHECK(out.host()[0] == expected);
    sumAll<64><<<7, 64>>>(in, n, partial, out);
    CHECK_LAUNCH();
    CHECK(out.host()[0] == expected);
  }

  DeviceArray<int> votes(100);
  blockVotes<<<1, 100>>>(votes);
  CHECK_LAUNCH();
  for (int v : votes.host())
    CHECK(v == 34 * 8 + 6);
  return pass();
}
