// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Macros around everything: the index, the barrier, a guard, a whole store.
#include "Harness.h"

#define TID threadIdx.x
#define GID (blockIdx.x * blockDim.x + TID)
#define BARRIER __syncthreads()
#define STORE(array, index, value) array[(index)] = (value)
#define GUARD(n)                                                                                             \
  if (GID >= (n))                                                                                            \
  return

__global__ void shifted(int *out, const int *in, int n) {
  __shared__ int tile[64];
  STORE(tile, TID, GID < n ? in[GID] : 0);
  BARRIER;
  int value = tile[(TID + 5) % 64];
  GUARD(n);
  STORE(out, GID, value * 3);
}

int main() {
  const int n = 250;
  int *out = zeros<int>(n);
  shifted<<<4, 64>>>(out, input<int>(n), n);
  bring("shifted", out, n);
}
