// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../Check.h"
#include "shared.h"

__device__ int calls = 1000;
__constant__ float factors[4] = {1, 2, 4, 8};

// The same names as in the other file, and other meanings.
static __device__ int state = 7;
static __device__ float local(float x) { return x * state; }

__device__ float elsewhere(float x) { return twice(x) + local(1); }
__device__ float plusTen(float x) { return x + 10; }
__device__ float squared(float x) { return x * x; }
__device__ Step steps[2] = {plusTen, squared};
__device__ Step chosenStep(int which) { return which ? squared : plusTen; }

static __global__ void kernel(float *data) { *data = local(*data) + inBoth(*data); }

int callsSoFar() {
  int count = 0;
  CHECK_CUDA(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  return count;
}

float fromOtherKernel(float x) {
  DeviceArray<float> data(std::vector<float>{x});
  kernel<<<1, 1>>>(data);
  CHECK_LAUNCH();
  return data.host()[0];
}
