// refuse: the load may read what the computation of the iteration before has stored
// static: --block 128
// verdict: holds
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In place: an iteration stores the row that the next one loads. Only the barriers between keep that in order.

__global__ void propagate(float *rows, int count) {
  __shared__ float tile[128];
  for (int row = 1; row < count; ++row) {
    tile[threadIdx.x] = rows[(row - 1) * 128 + threadIdx.x];
    __syncthreads();
    rows[row * 128 + threadIdx.x] += 0.5f * tile[127 - threadIdx.x]; // in the way
    __syncthreads();
  }
}
