// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A .cpp of a CUDA program: no kernels, only calls.
#include <cuda_runtime.h>

struct Image {
  float4 *pixels;
  __host__ __device__ float4 at(int i) const { return pixels[i]; }
};

int main() {
  Image image = {nullptr};
  cudaMalloc(&image.pixels, 64 * sizeof(float4));
  float4 pixel = make_float4(1, 2, 3, 4);
  cudaMemcpy(image.pixels, &pixel, sizeof pixel, cudaMemcpyHostToDevice);
  dim3 grid(4, 4);
  return cudaGetLastError() == cudaSuccess && grid.z == 1 ? 0 : 1;
}
