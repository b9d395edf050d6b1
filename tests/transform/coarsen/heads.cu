// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heads of loops and branches around barriers that declare, change or compute something for each thread by itself: it
// must be done for each work item, not once for all of them.
#include "Harness.h"

__device__ int calls[256];
__device__ int counted(int at) { return calls[at] += 1; }

/// Two variables in one head: one is the same for all threads, the other is the thread's own.
__global__ void twoCounters(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = 0, j = t; i < n; ++i, j = (j + 7) % 64) {
    s[t] = in[blockIdx.x * 64 + j] + i;
    __syncthreads();
    sum += s[63 - t] * j;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}

/// A grid-stride loop with a fixed number of iterations.
__global__ void gridStride(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  const int stride = gridDim.x * blockDim.x;
#pragma unroll 1
  for (int g = blockIdx.x * blockDim.x + t, i = 0; i < 3; g += stride, ++i) {
    s[t] = g < n ? in[g] : 0.0f;
    __syncthreads();
    if (i == 1)
      continue;
    sum += s[63 - t] + s[0];
    __syncthreads();
  }
  for (int g = t; g < 64; g += 64)
    out[blockIdx.x * 64 + g] = sum;
}

/// The thread's own variable is declared before, and begins and goes on in the head.
__global__ void declaredBefore(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, j, i;
  float sum = 0;
  for (i = 0, j = 63 - t; i < n; j ^= 1 + i, i++) {
    __syncthreads();
    s[j] = in[t] + i;
    __syncthreads();
    if (n > 100)
      continue;
    sum += s[t];
    if (t % 3 == 0)
      continue;
    sum += j;
  }
  out[blockIdx.x * 64 + t] = sum + i;
}

__global__ void branches(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  if (int j = 63 - t; n > 3) {
    s[j] = in[j];
    __syncthreads();
    sum += s[t] + j;
  } else if (float v = in[t]; n > 2) {
    s[t] = v;
    __syncthreads();
    sum += s[63 - t] * v;
  }
  __syncthreads();
  switch (int j = t ^ 1; n % 3) {
  case 0:
    s[j] = sum;
    __syncthreads();
    sum += s[t] - j;
    break;
  case 1: {
    s[t] = j;
    __syncthreads();
    sum += s[j] * j;
    break;
  }
  default: sum += j;
  }
  out[blockIdx.x * 64 + t] = sum;
}

struct Range {
  int first, last;
};

/// One variable holds what decides and what is the thread's own.
__global__ void structs(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  for (Range r = {0, t}; r.first < n; ++r.first, r.last = (r.last + 5) % 64) {
    s[t] = in[r.last];
    __syncthreads();
    sum += s[63 - t] + r.last;
    __syncthreads();
  }
  for (struct { int i, j; } p = {0, 63 - t}; p.i < 2; ++p.i) {
    s[p.j] = sum;
    __syncthreads();
    sum += s[t] * p.j;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}

/// Set alike by all when the loop begins, and by each thread as it likes later.
__global__ void becomesOwn(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float last = 0;
  for (int i = 0, own = 3; i < n; ++i) {
    s[t] = in[t] + own;
    __syncthreads();
    own += s[63 - t] > 0 ? t : i;
    last = own;
    __syncthreads();
  }
  if (int flag = n) {
    flag += t;
    s[t] = flag;
    __syncthreads();
    last += s[63 - t] * flag;
  }
  out[blockIdx.x * 64 + t] = last;
}

/// A condition that declares.
__global__ void conditions(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  while (int left = n) {
    left += t;
    s[t] = in[(t + left) % 64];
    __syncthreads();
    --n;
    sum += s[63 - t] * left;
    __syncthreads();
    if (n == 1)
      continue;
    sum += 1;
  }
  out[blockIdx.x * 64 + t] = sum;
}

__global__ void ranges(float *out, const float *in) {
  __shared__ float s[64];
  __shared__ float parts[3];
  int t = threadIdx.x;
  float own[3] = {in[t], in[63 - t], in[t] + 1}, sum = 0;
  if (t < 3)
    parts[t] = in[t];
  __syncthreads();
  for (float part : parts) {
    s[t] = part * t;
    __syncthreads();
    sum += s[63 - t] + part;
    __syncthreads();
  }
  for (float &each : own) {
    s[t] = each;
    __syncthreads();
    each += s[63 - t];
    __syncthreads();
  }
  for (const float each : own)
    sum += each;
  out[blockIdx.x * 64 + t] = sum;
}

/// Effects on memory in heads: each thread has its own.
__global__ void effects(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  const int at = blockIdx.x * 64 + t;
  for (int i = 0; i < n; ++i, out[at] = sum * i) {
    s[t] = in[t] + i;
    __syncthreads();
    sum += s[63 - t];
    __syncthreads();
  }
  for (int i = 0, first = counted(at); i < 2; counted(at), ++i) {
    s[t] = first + i;
    __syncthreads();
    sum += s[63 - t];
    __syncthreads();
  }
  out[at] += sum + calls[at];
}

/// One in another, and two with the same name.
__global__ void nestedHeads(float *out, const float *in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float sum = 0;
  for (int i = 0, j = t; i < 2; ++i, ++j)
    for (int k = 0, l = j + i; k < n; k++, l += j) {
      s[t] = in[(j + l) % 64];
      __syncthreads();
      sum += s[63 - t] + l;
      __syncthreads();
    }
  for (int i = 0, j = t * 2; i < 2; ++i) {
    s[t] = j++;
    __syncthreads();
    sum += s[63 - t];
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}

int main() {
  float *out = zeros<float>(256), *in = input<float>(256);
  twoCounters<<<4, 64>>>(out, in, 5);
  bring("twoCounters", out, 256);
  gridStride<<<4, 64>>>(out, in, 256);
  bring("gridStride", out, 256);
  declaredBefore<<<4, 64>>>(out, in, 4);
  bring("declaredBefore", out, 256);
  for (int n = 2; n < 6; ++n) {
    branches<<<4, 64>>>(out, in, n);
    bring("branches", out, 256);
  }
  structs<<<4, 64>>>(out, in, 3);
  bring("structs", out, 256);
  becomesOwn<<<4, 64>>>(out, in, 3);
  bring("becomesOwn", out, 256);
  conditions<<<4, 64>>>(out, in, 3);
  bring("conditions", out, 256);
  ranges<<<4, 64>>>(out, in);
  bring("ranges", out, 256);
  effects<<<4, 64>>>(out, in, 3);
  bring("effects", out, 256);
  nestedHeads<<<4, 64>>>(out, in, 3);
  bring("nestedHeads", out, 256);
}
