// heddle opt --assume whole-program --block 128,1,1 -d "consolidate remap=off delegate=off"

__global__ void k(int *a) {
  __syncwarp();
  #pragma unroll
  for (unsigned kx = 0; kx < 8; ++kx) {
    const unsigned threadX = threadIdx.x + kx * 32;
    a[threadX] = 1;
  }
}
void f(int *a) { k<<<1, 32>>>(a); }
