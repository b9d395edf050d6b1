// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    s[threadX] = b[threadX];
  }
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < 64; ++j)
    sum += s[j];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] = sum;
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
