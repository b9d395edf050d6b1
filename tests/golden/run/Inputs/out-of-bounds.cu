// Threads from 32 on write past the end.
#include <cuda_runtime.h>
template <class T> __global__ void fill(T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i + n] = T(i);
}
int main() {
  float *out;
  cudaMalloc(&out, 64 * sizeof(float));
  fill<float><<<1, 64>>>(out, 32);
  return cudaDeviceSynchronize() != cudaSuccess;
}
