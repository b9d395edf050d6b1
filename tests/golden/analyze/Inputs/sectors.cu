// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with one access to global memory each, by all lanes.
#define KERNEL(name, index)                                                                                  \
  __global__ void name(float *a, int w) {                                                                    \
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;                \
    a[index] = 1.0f + x + y;                                                                                 \
  }

KERNEL(row, y * w + x)
KERNEL(shifted, y * w + x + 1)
KERNEL(parameter, w + x)
KERNEL(apart, x * w)
KERNEL(tile, y * w + x)
KERNEL(shiftedTile, y * w + x + 3)
KERNEL(known, y * 40 + x)
KERNEL(strided, 3 * x)

int main(int count, char **) {
  const int w = count > 1 ? 129 : 128;
  float *a;
  cudaMalloc(&a, 1 << 20);
  row<<<dim3(4, 4), dim3(32, 8)>>>(a, w);
  shifted<<<dim3(4, 4), dim3(32, 8)>>>(a, w);
  parameter<<<2, 256>>>(a, w);
  apart<<<2, 256>>>(a, w);
  tile<<<dim3(8, 4), dim3(16, 16)>>>(a, w);
  shiftedTile<<<dim3(8, 4), dim3(16, 16)>>>(a, w);
  known<<<dim3(1, 4), dim3(32, 8)>>>(a, w);
  strided<<<2, 256>>>(a, w);
  return cudaDeviceSynchronize();
}
