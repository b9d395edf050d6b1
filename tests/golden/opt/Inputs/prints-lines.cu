#include <cstdio>

__global__ void twice(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] *= 2.0f;
}

int main() {
  float *a, first;
  cudaMalloc(&a, 128 * sizeof(float));
  cudaMemset(a, 0, 128 * sizeof(float));
  twice<<<2, 64>>>(a);
  std::printf("%s %d\n", __FILE__, __LINE__);
  cudaMemcpy(&first, a, sizeof(float), cudaMemcpyDeviceToHost);
}
