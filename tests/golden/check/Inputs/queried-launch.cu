#include <cuda_runtime.h>

__global__ void fill(int *out) { out[threadIdx.x] = 1; }

int main(int count, char **) {
  int *out = nullptr;
  cudaMalloc(&out, 4096);
  fill<<<1, 2048>>>(out);
  if (cudaGetLastError() == cudaSuccess)
    return 0;
  if (count == 1)
    return 1;
  fill<<<1, 1024>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
