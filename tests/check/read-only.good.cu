// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel writes to a variable.
#include "Case.h"

__device__ int table[4] = {1, 2, 3, 4};

__global__ void fill(int *cells) { cells[threadIdx.x] = 7; }

__global__ void copy(int *out) { out[threadIdx.x] = table[threadIdx.x]; }

int main() {
  void *address = nullptr;
  cudaGetSymbolAddress(&address, table);
  fill<<<1, 4>>>(static_cast<int *>(address));
  copy<<<1, 4>>>(zeros(4));
  return finish();
}
