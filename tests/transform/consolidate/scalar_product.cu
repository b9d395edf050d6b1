// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar products of many pairs of vectors: 1024 accumulators in shared memory, four for each of 256 threads,
// then a tree over all of them. Blocks take pairs in turn.
//
// For consolidation: 1024 accumulators are 32 registers per lane, and a step of the tree has its own loop over
// them. The barriers are in a loop over the grid, whose step 'gridDim.x' must stay that of the original
// launch when persistent warps take blocks in turn.
#include "Harness.h"

constexpr int Accumulators = 1024;
constexpr int Threads = 256;

__global__ void scalarProducts(float *results, const float *a, const float *b, int pairs, int length) {
  __shared__ float sums[Accumulators];

  for (int pair = blockIdx.x; pair < pairs; pair += gridDim.x) {
    const float *u = a + size_t(pair) * length, *v = b + size_t(pair) * length;
    for (int slot = threadIdx.x; slot < Accumulators; slot += Threads) {
      float sum = 0;
      for (int i = slot; i < length; i += Accumulators)
        sum += u[i] * v[i];
      sums[slot] = sum;
    }

    for (int half = Accumulators / 2; half > 0; half >>= 1) {
      __syncthreads();
      for (int slot = threadIdx.x; slot < half; slot += Threads)
        sums[slot] += sums[slot + half];
    }
    if (threadIdx.x == 0)
      results[pair] = sums[0];
    __syncthreads(); // the next pair overwrites what is read above
  }
}

int main(int argc, char **argv) {
  const int pairs = argument(argc, argv, 1, 7), length = argument(argc, argv, 2, 2500);
  const int blocks = argument(argc, argv, 3, 3);
  const std::vector<float> a = floats(size_t(pairs) * length, 10, 0),
                           b = floats(size_t(pairs) * length, 11, 0);
  float *deviceA = toDevice(a), *deviceB = toDevice(b), *results = zeros<float>(pairs);

  scalarProducts<<<blocks, Threads>>>(results, deviceA, deviceB, pairs, length);
  const std::vector<float> got = toHost(results, pairs);

  const auto wanted = [&](size_t pair) {
    double sum = 0;
    for (int i = 0; i < length; ++i)
      sum += double(a[pair * length + i]) * b[pair * length + i];
    return sum;
  };
  return verdict("scalar_product", got, agree(got, wanted, 5e-5));
}
