// heddle opt --assume whole-program -d "coarsen x=4"

__global__ void k(float *a, int n) {
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    // which element
    int i = blockIdx.x * (blockDim.x * 4) + threadX;
    if (i >= n)
      continue; // none
    a[i] *= 2.0f;
  }
}
void f(float *a) { k<<<8, 256 / 4>>>(a, 9); }
