// heddle opt --assume whole-program --remarks -d consolidate

__global__ void k(int *a, const int *b) {
  __shared__ int s[256];
  s[threadIdx.x] = b[blockIdx.x * 256 + threadIdx.x];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half)
      s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    a[blockIdx.x] = s[0];
}
void f(int *a, int *b) { k<<<5000, 256>>>(a, b); }
