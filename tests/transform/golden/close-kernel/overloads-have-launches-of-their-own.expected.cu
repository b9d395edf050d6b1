// heddle opt --arch sm_80

__global__ void k(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[blockIdx.x * (blockDim.x * 2) + threadX] = 1;
  }
}
__global__ void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 2; }
int main() {
  float *a = nullptr;
  int *b = nullptr;
  k<<<16, 64 / 2>>>(a);
  k<<<16, 64>>>(b);
}
