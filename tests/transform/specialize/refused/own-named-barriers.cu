// refuse: barriers by inline assembly: what they order is not known
// static: --block 128
// verdict: undecided
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel has synchronization of its own that roles would get between.

__global__ void sums(float *out, const float *in, int count) {
  __shared__ float tile[128];
  float sum = 0;
  for (int start = 0; start < count; start += 128) {
    tile[threadIdx.x] = in[start + threadIdx.x];
    asm volatile("bar.sync 1, 128;" ::: "memory"); // in the way
    sum += tile[127 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
