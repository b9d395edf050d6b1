// heddle opt --assume whole-program -d scalar-replace

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[65];
  for (int i = threadIdx.x; i < 64; i += 16)
    s[i] = b[i];
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    int right = threadIdx.x * 4 + k + 1;
    a[threadIdx.x * 4 + k] = s[right] + s[right - 1];
  }
}
void f() { k<<<1, 16>>>(nullptr, nullptr, 9); }
