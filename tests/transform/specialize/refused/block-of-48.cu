// refuse: roles are taken by warps, and a block of 48 threads is no number of whole warps
// static: --block 48
// verdict: holds
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half a warp is left over: its barriers would count threads that are not there.

__global__ void __launch_bounds__(48) sums(float *out, const float *in, int count) { // in the way
  __shared__ float tile[48];
  float sum = 0;
  for (int start = 0; start < count; start += 48) {
    tile[threadIdx.x] = start + int(threadIdx.x) < count ? in[start + threadIdx.x] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 48; ++i)
      sum += tile[i] * float(i ^ int(threadIdx.x));
    __syncthreads();
  }
  out[blockIdx.x * 48 + threadIdx.x] = sum;
}
