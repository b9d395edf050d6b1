// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A * B in halves, two columns per thread: the inner loop of a matrix product with half2 arithmetic.
#include <cuda_fp16.h>

extern "C" __global__ void halves(__half2 *c, const __half *a, const __half2 *b, unsigned n) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  __half2 sum = __float2half2_rn(0);
  for (unsigned k = 0; k < n; ++k)
    sum = __hfma2(__half2half2(a[row * n + k]), b[k * (n / 2) + column], sum);
  c[row * (n / 2) + column] = sum;
}
