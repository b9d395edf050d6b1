// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    s[threadX] = b[threadX];
  }
  __syncthreads();
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    float u;
    if (n > 0) u = s[63 - threadX]; else u = 1.0f;
    a[threadX] = u;
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
