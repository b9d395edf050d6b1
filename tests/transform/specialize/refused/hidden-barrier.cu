// refuse: a function that is called contains a barrier and cannot be inlined
// static: --block 128
// verdict: undecided
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Load, barrier and computation are mixed in a function that calls itself.

__device__ __noinline__ float turn(const float *in, float *tile, int left) {
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const float here = tile[127 - threadIdx.x];
  __syncthreads();
  return left > 0 ? here + turn(in + 128, tile, left - 1) : here;
}
__global__ void sums(float *out, const float *in, int count) {
  __shared__ float tile[128];
  float sum = 0;
  for (int start = 0; start < count; start += 256)
    sum += turn(in + start, tile, 1); // in the way
  out[threadIdx.x] = sum;
}
