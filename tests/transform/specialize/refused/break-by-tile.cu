// refuse: whether there is a next tile depends on data in this one
// static: --block 128
// verdict: undecided
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search ends when a tile holds the key: a producer would have to see the data to know.

__global__ void find(int *out, const int *in, int count, int key) {
  __shared__ int tile[128];
  int seen = 0;
  for (int start = 0; start < count; start += 128) {
    tile[threadIdx.x] = in[start + threadIdx.x];
    __syncthreads();
    if (tile[0] == key) // in the way
      break;
    seen += tile[127 - threadIdx.x] < key;
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = seen;
}
