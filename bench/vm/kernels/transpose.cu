// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposes an n x n matrix of floats by tiles of 32x32 in shared memory, padded against bank conflicts.
extern "C" __global__ void transpose(float *out, const float *in, unsigned n) {
  __shared__ float tile[32][33];
  const unsigned x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32, row = blockIdx.y * 32;
  for (unsigned i = y; i < 32; i += 8)
    tile[i][x] = in[(row + i) * n + column + x];
  __syncthreads();
  for (unsigned i = y; i < 32; i += 8)
    out[(column + i) * n + row + x] = tile[x][i];
}
