// heddle opt --block 125 --remarks -d scalar-replace

#include <heddle/launch.cuh>

__global__ static void k(float *a, const float *b) {
  __shared__ float t[129];
  for (unsigned i = threadIdx.x; i < 129; i += blockDim.x)
    t[i] = b[i];
  __syncthreads();
  float s = 0;
  float nearT[4];
  #pragma unroll
  for (unsigned j = 0; j < 4; ++j)
    nearT[j] = t[threadIdx.x + j];
  for (int k = 0; k < 3; ++k)
    if (threadIdx.x < 125)
      s += nearT[k] * nearT[k + 1];
  a[threadIdx.x] = s;
}
void f(float *a, const float *b, dim3 block, cudaStream_t stream) {
  k<<<1, heddle::statedBlock<125, 1, 1>(block, "k")>>>(a, b);
  k<<<1, 125, 0, stream>>>(a, b);
  void *args[] = {&a, &b};
  cudaLaunchKernel((const void *)k, dim3(1), heddle::statedBlock<125, 1, 1>(block, "k"), args, 0, stream);
}
