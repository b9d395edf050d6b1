// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int i = blockIdx.x * 64 + threadX;
    s[threadX] = b[i];
  }
  __syncthreads();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int i = blockIdx.x * 64 + threadX;
    a[i] = s[63 - threadX];
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
