// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  int m;
  float t[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    t[kx] = b[threadX];
    s[threadX] = t[kx];
  }
  for (m = 0; m < n; m++) {
    __syncthreads();
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int e;
      t[kx] = s[63 - threadX];
      for (e = 0; e < threadX; e++)
        t[kx] += s[e];
      a[threadX] = t[kx];
    }
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
