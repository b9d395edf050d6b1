// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code of two files, linked: functions, variables, constants and function pointers of one file in the other;
// inline functions and templates that both define; static functions and variables of one name in both.
#include "../Check.h"
#include "shared.h"

static __device__ int state = 5;
static __device__ float local(float x) { return x + state; }

__global__ void kernel(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = elsewhere(in[i]) * factors[i & 3];
  x += steps[i & 1](in[i]) + chosenStep(i >> 1 & 1)(in[i]);
  out[i] = x + local(in[i]) + inBoth(in[i]) + twice(in[i]);
  atomicAdd(&calls, 1);
  if (i == 0)
    counter<int> += 1;
}

__global__ void readCounter(int *out) { *out = counter<int>; }

static float expected(float v, int i) {
  const float factor[4] = {1, 2, 4, 8};
  auto step = [&](int which) { return which ? v * v : v + 10; };
  float other = 2 * v + 7; // twice(v), and the other file's local
  return other * factor[i & 3] + step(i & 1) + step(i >> 1 & 1) + (v + 5) + (3 * v + 1) + 2 * v;
}

int main() {
  const int n = 100;
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i)
    values[i] = float(i % 17) - 3;
  DeviceArray<float> in(values), out(n);
  kernel<<<2, 64>>>(in, out, n);
  CHECK_LAUNCH();
  std::vector<float> got = out.host();
  for (int i = 0; i < n; ++i)
    CHECK(got[i] == expected(values[i], i));
  // A variable that the other file defines is one variable, for kernels and for the host of both files.
  CHECK(callsSoFar() == 1000 + n);
  int seen = 0, changed = 5;
  CHECK_CUDA(cudaMemcpyFromSymbol(&seen, calls, sizeof seen));
  CHECK(seen == 1000 + n);
  CHECK_CUDA(cudaMemcpyToSymbol(calls, &changed, sizeof changed));
  CHECK(callsSoFar() == 5);
  DeviceArray<int> count(1);
  readCounter<<<1, 1>>>(count);
  CHECK_LAUNCH();
  CHECK(count.host()[0] == 41);
  CHECK(fromOtherKernel(2) == 2 * 7 + (3 * 2 + 1));
  return pass();
}
