// heddle opt --assume whole-program --remarks -d auto

__global__ void k(float *a, const float *b) {
  __shared__ float s[256];
  s[threadIdx.x] = b[threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < 256; ++j)
    sum += s[j] * float(threadIdx.x);
  a[threadIdx.x] = sum;
}
void f() { k<<<4096, 256>>>(nullptr, nullptr); }
