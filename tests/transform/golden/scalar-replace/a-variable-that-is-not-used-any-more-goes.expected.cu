// heddle opt --assume whole-program -d scalar-replace

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[65];
  for (int i = threadIdx.x; i < 64; i += 16)
    s[i] = b[i];
  __syncthreads();
  float nearS[5];
  #pragma unroll
  for (unsigned j = 0; j < 5; ++j)
    nearS[j] = s[threadIdx.x * 4 + j];
  for (int k = 0; k < 4; ++k) {
    
    a[threadIdx.x * 4 + k] = nearS[k + 1] + nearS[k];
  }
}
void f() { k<<<1, 16>>>(nullptr, nullptr, 9); }
