// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A radix sort made of block scans: many dependent launches, barriers in loops, scattered writes.
#include "Check.h"

#include <algorithm>

constexpr int threads = 128;

__device__ int blockScan(int value, int *total) {
  __shared__ int cells[2][threads];
  int i = threadIdx.x, from = 0;
  cells[0][i] = value;
  __syncthreads();
  for (int step = 1; step < threads; step *= 2) {
    cells[1 - from][i] = cells[from][i] + (i >= step ? cells[from][i - step] : 0);
    from = 1 - from;
    __syncthreads();
  }
  int inclusive = cells[from][i];
  *total = cells[from][threads - 1];
  __syncthreads();
  return inclusive - value;
}

__global__ void countZeros(const unsigned *keys, int n, int bit, int *zeros) {
  int i = blockIdx.x * threads + threadIdx.x, total;
  blockScan(i < n && !(keys[i] >> bit & 1), &total);
  if (threadIdx.x == 0)
    zeros[blockIdx.x] = total;
}

__global__ void scatter(const unsigned *keys, unsigned *out, int n, int bit, const int *zerosBefore,
                        int allZeros) {
  int i = blockIdx.x * threads + threadIdx.x, total;
  bool isZero = i < n && !(keys[i] >> bit & 1);
  int before = zerosBefore[blockIdx.x] + blockScan(isZero, &total);
  if (i < n)
    out[isZero ? before : allZeros + i - before] = keys[i];
}

int main() {
  constexpr int n = 1500, blocks = (n + threads - 1) / threads, bits = 12;
  std::vector<unsigned> keys(n);
  unsigned state = 12345;
  for (unsigned &key : keys) {
    state = state * 1664525u + 1013904223u;
    key = state >> (32 - bits);
  }
  DeviceArray<unsigned> a(keys), b(n);
  DeviceArray<int> zeros(blocks);
  unsigned *from = a, *to = b;
  for (int bit = 0; bit < bits; ++bit) {
    countZeros<<<blocks, threads>>>(from, n, bit, zeros);
    std::vector<int> counts = zeros.host(), before(blocks);
    int sum = 0;
    for (int i = 0; i < blocks; ++i) {
      before[i] = sum;
      sum += counts[i];
    }
    CHECK_CUDA(cudaMemcpy(zeros, before.data(), blocks * sizeof(int), cudaMemcpyHostToDevice));
    scatter<<<blocks, threads>>>(from, to, n, bit, zeros, sum);
    CHECK_LAUNCH();
    std::swap(from, to);
  }
  std::vector<unsigned> sorted = a.host();
  std::sort(keys.begin(), keys.end());
  CHECK(sorted == keys);
  return pass();
}
