// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A * B in floats by tiles of 16x16 in shared memory; n is a multiple of 16.
extern "C" __global__ void matrix(float *c, const float *a, const float *b, unsigned n) {
  __shared__ float as[16][16], bs[16][16];
  const unsigned x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (unsigned tile = 0; tile < n; tile += 16) {
    as[y][x] = a[row * n + tile + x];
    bs[y][x] = b[(tile + y) * n + column];
    __syncthreads();
    for (unsigned k = 0; k < 16; ++k)
      sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
