// expect: race/cluster at 16 and 20
// hint: cluster.sync()
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each block reads its neighbour's shared memory. The barrier of the block says nothing about the neighbour.
#include "Case.h"

__device__ const int *remote(const int *mine, unsigned rank) {
  const int *theirs;
  asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
  return theirs;
}

__global__ void swap(const int *in, int *out) {
  __shared__ int cells[32];
  int i = threadIdx.x, me = blockIdx.x;
  cells[i] = in[me * 32 + i];
  __syncthreads();

  const int *theirs = remote(cells, 1 - me);
  out[me * 32 + i] = theirs[31 - i];
  CLUSTER_SYNC();
}

int main() {
  inClusters(2, 2, 32, swap, numbers(64), zeros(64));
  return finish();
}
