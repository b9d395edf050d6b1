// expect: clean
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// load_matrix_sync and store_matrix_sync wait for all lanes of the warp before they access memory, with each compiler.
#include "Case.h"

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void square(const int *in, int *out) {
  __shared__ half cells[256];
  __shared__ float sums[256];
  for (int i = threadIdx.x; i < 256; i += 32)
    cells[i] = __float2half(float(in[i % 64]));
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, cells, 16);
  wmma::load_matrix_sync(right, cells, 16);
  wmma::mma_sync(sum, left, right, sum);
  for (int i = threadIdx.x; i < 256; i += 32)
    sums[i] = 0;
  wmma::store_matrix_sync(sums, sum, 16, wmma::mem_row_major);
  __syncwarp();
  out[threadIdx.x] = int(sums[255 - threadIdx.x]);
}

int main() {
  square<<<1, 32>>>(numbers(64), zeros(32));
  return finish();
}
