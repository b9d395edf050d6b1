// heddle opt --assume whole-program --remarks -d scalar-replace

__global__ void k(float *a) {
  __shared__ float s[66];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 2; ++i)
    sum += s[threadIdx.x + i] * s[threadIdx.x + i + 1];
  a[threadIdx.x] = sum;
}
void f(float *a, int n) { k<<<1, n>>>(a); }
