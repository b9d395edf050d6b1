// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {

  for (int j = 0; j < n; ++j) {
    __syncthreads();
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      const int t = threadX;
      const int i = blockIdx.x * 64 + t;
      const int left = i - 1;
      a[left] = 1.0f;
    }
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
