// heddle opt --assume whole-program --block 16,16 -d "consolidate remap=off delegate=off" -d launch-bounds

__global__ void k(float *a, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  a[y * width + x] = 2.0f;
}
void f(float *a, int width, dim3 grid, dim3 block) { k<<<grid, block>>>(a, width); }
