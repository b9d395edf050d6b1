// heddle opt -d "specialize buffers=2"
// heddle opt -d "specialize buffers=2" --block 128

#include <cuda_runtime.h>

__global__ void walk(float *out, const float *in, int n) {
  __shared__ float tile[128];
  float sum = 0;
  for (int i = 0; i < n; i += 128) {
    tile[threadIdx.x % 128] = in[i + threadIdx.x % 128];
    __syncthreads();
    for (int k = 0; k < 128; ++k)
      sum += tile[k];
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

void launch(float *a, float *b, int n) {
  walk<<<1, 128>>>(a, b, n);
  walk<<<1, 256>>>(a, b, n);
}
