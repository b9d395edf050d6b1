// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that leave an iteration or a switch one by one, in the midst of branches that all of them take; and objects
// whose constructors have effects, which must happen once for each thread.
#include "Harness.h"

__global__ void iterations(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < 3; ++i) {
    s[t] = in[t] + i;
    __syncthreads();
    sum += s[63 - t];
    __syncthreads();
    if (n > 3) {
      if (t < 10)
        continue;
      sum += 1;
    }
    {
      if (t > 60)
        continue;
    }
    sum += 100;
  }
  out[t] = sum;
}

__global__ void switches(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  switch (n) {
  case 5:
    s[t] = in[t];
    __syncthreads();
    if (t < 10)
      break;
    sum += s[63 - t];
    break;
  default: sum = 3;
  }
  out[t] = sum;
}

/// A condition on a variable that is the same for all when it decides, and each thread's own later.
__global__ void agreed(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  for (;;) {
    int left = n;
    if (!left)
      break;
    left += t;
    s[t] = in[left % 64];
    __syncthreads();
    --n;
    sum += s[63 - t] * left;
    __syncthreads();
  }
  out[t] = sum;
}

struct Counted {
  int at;
  __device__ Counted(int *calls, int at) : at(at) { atomicAdd(calls, 1); }
  __device__ Counted(const Counted &other) : at(other.at + 1) {}
};

__global__ void constructed(float *out, int *calls) {
  __shared__ float s[64];
  int t = threadIdx.x;
  Counted counted(calls, t), copied = counted;
  s[t] = t;
  __syncthreads();
  out[t] = s[63 - t] + counted.at + copied.at;
}

int main() {
  float *out = zeros<float>(64), *in = input<float>(64);
  int *calls = zeros<int>(1);
  for (int n = 3; n < 6; ++n) {
    iterations<<<1, 64>>>(out, in, n);
    bring("iterations", out, 64);
    switches<<<1, 64>>>(out, in, n);
    bring("switches", out, 64);
    agreed<<<1, 64>>>(out, in, n);
    bring("agreed", out, 64);
  }
  constructed<<<1, 64>>>(out, calls);
  bring("constructed", out, 64);
  bring("calls", calls, 1);
}
