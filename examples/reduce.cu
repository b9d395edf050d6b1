// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tree reduction: each block folds a piece of the input in shared memory, halving the number of threads at
// work in every step; the same kernel then folds the blocks' results. Sum, minimum and maximum from one
// template.
#include "check.h"

#include <climits>

constexpr int Threads = 256; // a power of two: the tree halves it

struct Sum {
  static constexpr int identity = 0;
  __host__ __device__ static int combine(int a, int b) { return a + b; }
};
struct Minimum {
  static constexpr int identity = INT_MAX;
  __host__ __device__ static int combine(int a, int b) { return a < b ? a : b; }
};
struct Maximum {
  static constexpr int identity = INT_MIN;
  __host__ __device__ static int combine(int a, int b) { return a < b ? b : a; }
};

template <class Operation> __global__ void reduce(int *results, const int *values, int count) {
  __shared__ int partial[Threads];

  // Any count works: threads beyond it contribute the identity, threads below it may take several values.
  int folded = Operation::identity;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    folded = Operation::combine(folded, values[i]);
  partial[threadIdx.x] = folded;
  __syncthreads();

  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] = Operation::combine(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }

  if (threadIdx.x == 0)
    results[blockIdx.x] = partial[0];
}

template <class Operation> static int onDevice(const int *values, int count) {
  const int blocks = blocksFor(count, Threads, 64);
  int *results = nullptr;
  CHECK(cudaMalloc(&results, (blocks + 1) * sizeof(int)));
  reduce<Operation><<<blocks, Threads>>>(results, values, count);
  reduce<Operation><<<1, Threads>>>(results + blocks, results, blocks);
  CHECK(cudaGetLastError());

  int result = 0;
  CHECK(cudaMemcpy(&result, results + blocks, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(results));
  return result;
}

template <class Operation>
static bool agrees(const char *name, const std::vector<int> &values, const int *deviceValues) {
  int wanted = Operation::identity;
  for (int value : values)
    wanted = Operation::combine(wanted, value);
  const int got = onDevice<Operation>(deviceValues, int(values.size()));
  std::printf("%-7s %d\n", name, got);
  return got == wanted;
}

int main(int argc, char **argv) {
  const int count = sizeArgument(argc, argv, 20000);
  std::vector<int> values(count);
  unsigned state = 1;
  for (int &value : values) {
    state = state * 1664525u + 1013904223u;
    value = int(state >> 12) % 2001 - 1000;
  }

  int *deviceValues = toDevice(values);
  bool passed = agrees<Sum>("sum", values, deviceValues);
  passed = agrees<Minimum>("minimum", values, deviceValues) && passed;
  passed = agrees<Maximum>("maximum", values, deviceValues) && passed;
  CHECK(cudaFree(deviceValues));
  return verdict("reduce", passed);
}
