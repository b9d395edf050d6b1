#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *out, int value) { *out = value; }

int main() {
  int value = 0;
  if (std::scanf("%d", &value) != 1)
    return 1;
  int *out;
  cudaMalloc(&out, sizeof *out);
  fill<<<1, 1>>>(out, value);
  cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("%d\n", value);
}
