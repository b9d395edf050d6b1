// refuse: how many tiles there are depends on data in the tile
// static: --block 128
// verdict: undecided
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The number of iterations is in the first element of each tile.

__global__ void records(int *out, const int *in) {
  __shared__ int tile[128];
  int sum = 0, more = 1;
  for (int turn = 0; more; ++turn) {
    tile[threadIdx.x] = in[turn * 128 + threadIdx.x];
    __syncthreads();
    more = tile[0]; // in the way
    sum += tile[127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
