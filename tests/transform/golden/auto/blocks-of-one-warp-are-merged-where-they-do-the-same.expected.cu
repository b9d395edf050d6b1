// heddle opt --assume whole-program -d auto

__global__ void k(float *__restrict__ a, const float *__restrict__ table) {
  float sum = 0.0f;
  for (int j = 0; j < 64; ++j)
    sum += table[j];
  #pragma unroll
  for (unsigned kb = 0; kb < 16; ++kb) {
    const unsigned blockX = blockIdx.x + kb * gridDim.x;
    a[blockX * 32 + threadIdx.x] = sum;
  }
}
void f() { k<<<65536 / 16, 32>>>(nullptr, nullptr); }
