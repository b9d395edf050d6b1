// heddle opt --assume whole-program -d "coarsen grid=2"

__global__ void k(float *a, const float *b, int n) {
  #pragma unroll
  for (unsigned kb = 0; kb < 2; ++kb) {
    const unsigned blockX = blockIdx.x + kb * gridDim.x;
    int i = blockX * blockDim.x + threadIdx.x;
    if (i < n) a[i] = (gridDim.x * 2);
  }
}
int main() { k<<<4 / 2, 64>>>(nullptr, nullptr, 0); }
