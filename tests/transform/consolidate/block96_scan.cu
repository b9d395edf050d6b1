// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running sums within segments of 96, in steps of doubling distance.
//
// For consolidation: a block of three warps, no power of two: aggregation makes three threads of one.
// Distances 1 to 16 are shuffles with the neighbour register where a row wraps, 32 is the register before, 64
// the one before that; all of them known once the loop is unrolled.
#include "Harness.h"

constexpr int Segment = 96;

__global__ void scanSegments(int *sums, const int *values, int count) {
  __shared__ int running[Segment];
  const int i = blockIdx.x * Segment + threadIdx.x;

  running[threadIdx.x] = i < count ? values[i] : 0;
  __syncthreads();
#pragma unroll
  for (unsigned distance = 1; distance < Segment; distance *= 2) {
    const int before = threadIdx.x >= distance ? running[threadIdx.x - distance] : 0;
    __syncthreads();
    running[threadIdx.x] += before;
    __syncthreads();
  }
  if (i < count)
    sums[i] = running[threadIdx.x];
}

int main(int argc, char **argv) {
  const int count = argument(argc, argv, 1, 2000);
  const std::vector<int> values = integers(count, 30, 1000);
  int *deviceValues = toDevice(values), *sums = zeros<int>(count);
  scanSegments<<<blocksFor(count, Segment), Segment>>>(sums, deviceValues, count);
  const std::vector<int> got = toHost(sums, count);

  const auto wanted = [&](size_t i) {
    int sum = 0;
    for (size_t j = i / Segment * Segment; j <= i; ++j)
      sum += values[j];
    return sum;
  };
  return verdict("block96_scan", got, agree(got, wanted, 0));
}
