// refuse: the names of a structured binding are not analyzed
// static: --block 128
// verdict: holds
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the consumers add to each element is a part of a pair.

struct Pair {
  int first, second;
};
__device__ Pair pairOf(int a) { return {a, 3}; }

__global__ void sums(int *__restrict__ out, const int *__restrict__ in, int tiles) {
  __shared__ int tile[128];
  auto [first, second] = pairOf(tiles); // in the way
  int sum = 0;
  for (int turn = 0; turn < tiles; ++turn) {
    tile[threadIdx.x] = in[turn * 128 + threadIdx.x];
    __syncthreads();
    sum += tile[127 - threadIdx.x] + first;
    __syncthreads();
  }
  out[threadIdx.x] = sum + second;
}
