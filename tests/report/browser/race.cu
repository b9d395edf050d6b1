// A reduction whose last steps lack a barrier: threads of one warp read what threads of another may not have written yet.
#include <cstdio>
#include <cuda_runtime.h>

template <int Threads> __global__ void blockSum(float *out, const float *in) {
  __shared__ float part[Threads];
  part[threadIdx.x] = in[blockIdx.x * Threads + threadIdx.x];
  for (int half = Threads / 2; half > 0; half /= 2)
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}

int main() {
  float *in = nullptr, *out = nullptr, sum = 0;
  cudaMalloc(&in, 256 * sizeof(float));
  cudaMalloc(&out, 4 * sizeof(float));
  cudaMemset(in, 0, 256 * sizeof(float));
  blockSum<64><<<4, 64>>>(out, in);
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  std::printf("%g\n", sum);
  cudaFree(in);
  cudaFree(out);
}
