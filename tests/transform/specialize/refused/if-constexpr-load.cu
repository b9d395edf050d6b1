// refuse: 'if constexpr' leaves out code here that another instantiation may take, and that roles would change
// static: --block 128
// verdict: holds
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text serves both instantiations, and each tree has one side of it.

template <bool Guarded> __global__ void sums(float *out, const float *in, int count) {
  __shared__ float tile[128];
  float sum = 0;
  for (int start = 0; start < count; start += 128) {
    if constexpr (Guarded) // in the way
      tile[threadIdx.x] = start + int(threadIdx.x) < count ? in[start + threadIdx.x] : 0.0f;
    else
      tile[threadIdx.x] = in[start + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 128; ++i)
      sum += tile[i];
    __syncthreads();
  }
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

void launch(float *out, const float *in, int count) {
  sums<true><<<4, 128>>>(out, in, count);
  sums<false><<<4, 128>>>(out, in, count);
}
