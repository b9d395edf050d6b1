// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

#ifndef FACTOR // the test gives another on the command line
#define FACTOR 1
#endif

static __constant__ int factor = FACTOR;

static __global__ void add(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += factor * i;
}

void addOnDevice(int *data, int n) { add<<<(n + 31) / 32, 32>>>(data, n); }
