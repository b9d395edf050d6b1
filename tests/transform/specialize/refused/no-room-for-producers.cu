// refuse: a block of 1024 threads has no room for a producer warp
// static: --block 1024
// verdict: holds
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1024 threads are all that a block can have. (A hint: coarsen first.)

__global__ void __launch_bounds__(1024) sums(float *out, const float *in, int count) { // in the way
  __shared__ float tile[1024];
  float sum = 0;
  for (int start = 0; start < count; start += 1024) {
    tile[threadIdx.x] = start + int(threadIdx.x) < count ? in[start + threadIdx.x] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 1024; ++i)
      sum += tile[i] * float(i ^ int(threadIdx.x));
    __syncthreads();
  }
  out[blockIdx.x * 1024 + threadIdx.x] = sum;
}
