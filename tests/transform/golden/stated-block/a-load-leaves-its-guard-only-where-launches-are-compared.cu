// heddle opt --assume whole-program --block 125 --remarks -d scalar-replace

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
void f(float *a, const float *b, dim3 block, cudaStream_t stream) {
  k<<<1, block>>>(a, b);
  k<<<1, 125, 0, stream>>>(a, b);
  void *args[] = {&a, &b};
  cudaLaunchKernel((const void *)k, dim3(1), block, args, 0, stream);
}
