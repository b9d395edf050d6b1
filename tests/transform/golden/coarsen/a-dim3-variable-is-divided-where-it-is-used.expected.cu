// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadIdx.y * 16 + threadX] = 1.0f;
  }
}
int main() { dim3 block(16, 4); k<<<1, dim3(block.x / 2, block.y)>>>(nullptr); k<<<2, dim3(block.x / 2, block.y)>>>(nullptr); }
