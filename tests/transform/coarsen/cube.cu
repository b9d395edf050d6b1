// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block in three dimensions.
// axes: x y z xy xyz
#include "Harness.h"

__global__ void blur(float *out, const float *in, int n) {
  __shared__ float tile[4][8][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
  int at = (z * n + y) * n + x;
  tile[threadIdx.z][threadIdx.y][threadIdx.x] = in[at];
  __syncthreads();
  uint3 t = threadIdx;
  float sum = tile[t.z][t.y][t.x];
  if (t.x > 0)
    sum += tile[t.z][t.y][t.x - 1];
  if (t.y > 0)
    sum += tile[t.z][t.y - 1][t.x];
  if (t.z > 0)
    sum += tile[t.z - 1][t.y][t.x];
  out[at] = sum;
}

int main() {
  const int n = 32;
  float *out = zeros<float>(n * n * n);
  blur<<<dim3(n / 16, n / 8, n / 4), dim3(16, 8, 4)>>>(out, input<float>(n * n * n), n);
  bring("blur", out, n * n * n);
}
