// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a, const int *b, int n) {
  __shared__ int s[1024];
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned thread = threadIdx.x + kx * 32;
    if (thread >= 120)
      break;
    s[(thread / 12u) * 12u + (thread % 12u)] = b[(thread / 12u) * 12u + (thread % 12u)];
  }
  __syncwarp();
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned thread = threadIdx.x + kx * 32;
    if (thread >= 120)
      break;
    a[(thread / 12u) * 12u + (thread % 12u)] = s[(thread / 12u) * 12u + (thread % 12u) / 2];
  }
}
void f(int *a, const int *b, dim3 shape, int threads) {
  k<<<9, 32>>>(a, b, 7);
}
