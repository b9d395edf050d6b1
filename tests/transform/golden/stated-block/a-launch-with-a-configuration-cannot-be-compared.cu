// heddle opt --assume whole-program --block 125 -d scalar-replace

__global__ void k(float *a, const float *b) {
  __shared__ float t[129];
  for (unsigned i = threadIdx.x; i < 129; i += blockDim.x)
    t[i] = b[i];
  __syncthreads();
  float s = 0;
  for (int k = 0; k < 3; ++k)
    if (threadIdx.x < 125)
      s += t[threadIdx.x + k] * t[threadIdx.x + k + 1];
  a[threadIdx.x] = s;
}
void f(float *a, const float *b, const cudaLaunchConfig_t &config) { cudaLaunchKernelEx(&config, k, a, b); }
