// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  int u[2];
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    int nItem = n;
    nItem += threadX;
    u[kx] = nItem;
  }
  for (int j = 0; ; ++j) {
    if (j == 5)
      break;
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      u[kx] += threadX;
      a[threadX] = float(u[kx]);
    }
    __syncthreads();
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
