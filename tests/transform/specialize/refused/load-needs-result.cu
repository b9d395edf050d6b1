// refuse: where the tile is loaded from depends on what was computed from the tile before
// static: --block 128
// verdict: undecided
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place to load from is computed from the tile before: a producer would have to wait for the consumers.

__global__ void walk(float *out, const float *in, const int *next, int turns) {
  __shared__ float tile[128];
  __shared__ int links[128];
  float sum = 0;
  int at = blockIdx.x;
  for (int turn = 0; turn < turns; ++turn) {
    tile[threadIdx.x] = in[at * 128 + threadIdx.x];
    links[threadIdx.x] = next[at * 128 + threadIdx.x];
    __syncthreads();
    sum += tile[127 - threadIdx.x];
    at = links[int(sum) & 127]; // in the way
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
