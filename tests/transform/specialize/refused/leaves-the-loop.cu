// refuse: threads may leave between barriers, and barriers of a role count all of its threads
// static: --block 128
// verdict: undecided
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that has enough returns; the others go on without it.

__global__ void until(float *out, const float *in, int count, float enough) {
  __shared__ float tile[128];
  float sum = 0;
  for (int start = 0; start < count; start += 128) {
    tile[threadIdx.x] = in[start + threadIdx.x];
    __syncthreads();
    sum += tile[127 - threadIdx.x];
    out[threadIdx.x] = sum;
    __syncthreads();
    if (sum > enough)
      return; // in the way
  }
}
