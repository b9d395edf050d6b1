// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids that only launches know, and that no factor divides all of: blocks beyond them are skipped.
// axes: grid xgrid
#include "Harness.h"

__device__ int strideOfGrid() { return int(gridDim.x * blockDim.x); }

// Every block counts itself: one too many would show.
__global__ void count(unsigned *blocks, float *out, const float *in, int n) {
  if (threadIdx.x == 0)
    atomicAdd(blocks, 1u + blockIdx.x);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += strideOfGrid())
    out[i] = in[i] * 2.0f + float(gridDim.x);
}

// Without a guard: blocks beyond the grid would write beyond the array.
template <typename T> __global__ void square(T *out, const T *in) {
  const unsigned i = (blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;
  out[i] = in[i] * in[i];
}

static int blocksFor(int n, int threads) {
  const int whole = n / threads;
  return n % threads ? whole + 1 : whole;
}

int main() {
  for (int n : {64, 65, 130, 200, 64 * 7, 64 * 16}) {
    unsigned *blocks = zeros<unsigned>(1);
    float *out = zeros<float>(n);
    count<<<blocksFor(n, 64), 64>>>(blocks, out, input<float>(n), n);
    bring("blocks", blocks, 1);
    bring("count", out, n);
    const dim3 grid(n / 64, 3);
    int *squares = zeros<int>(int(grid.x * grid.y) * 64);
    square<<<grid, 64>>>(squares, input<int>(int(grid.x * grid.y) * 64));
    bring("square", squares, int(grid.x * grid.y) * 64);
    square<<<dim3(n / 64), 64>>>(out, input<float>(n));
    bring("square of float", out, n / 64 * 64);
  }
}
