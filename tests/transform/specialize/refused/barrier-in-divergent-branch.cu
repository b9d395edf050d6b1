// refuse: a barrier that not all threads of the block come to
// static: --block 128
// verdict: undecided
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The barrier follows a condition that differs between threads.

__global__ void sums(float *out, const float *in, int count) {
  __shared__ float tile[128];
  float sum = 0;
  for (int start = 0; start < count; start += 128) {
    tile[threadIdx.x] = in[start + threadIdx.x];
    if (start + int(threadIdx.x) < count) {
      __syncthreads(); // in the way
      sum += tile[127 - threadIdx.x];
    }
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
