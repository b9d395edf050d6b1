// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wmma: 16x16x16 products of half and bfloat16.
#include <cstdio>
#include <mma.h>

using namespace nvcuda;

template <class T, class Sum> __global__ void multiply(const T *a, const T *b, Sum *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum;
  wmma::fill_fragment(sum, Sum(0.0f));
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  for (int e = 0; e < sum.num_elements; ++e)
    sum.x[e] = sum.x[e] + sum.x[e];
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

template __global__ void multiply(const __nv_bfloat16 *, const __nv_bfloat16 *, float *);
template __global__ void multiply(const __half *, const __half *, __half *);

int main() {
  __half hostA[256], hostB[256];
  float wanted[256], got[256];
  for (int i = 0; i < 256; ++i) {
    hostA[i] = __float2half(float(i % 7) - 3.0f);
    hostB[i] = __float2half(float(i % 5) * 0.5f);
  }
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column) {
      wanted[row * 16 + column] = 0.0f;
      for (int k = 0; k < 16; ++k)
        wanted[row * 16 + column] +=
            2.0f * __half2float(hostA[row * 16 + k]) * __half2float(hostB[column * 16 + k]);
    }

  __half *a, *b;
  float *c;
  cudaMalloc(&a, sizeof hostA);
  cudaMalloc(&b, sizeof hostB);
  cudaMalloc(&c, sizeof got);
  cudaMemcpy(a, hostA, sizeof hostA, cudaMemcpyHostToDevice);
  cudaMemcpy(b, hostB, sizeof hostB, cudaMemcpyHostToDevice);
  multiply<__half, float><<<1, 32>>>(a, b, c);
  cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost);
  bool same = true;
  for (int i = 0; i < 256; ++i)
    same = same && got[i] == wanted[i];
  std::printf("tensor_cores: %s\n", same ? "PASS" : "FAIL");
  return same ? 0 : 1;
}
