// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a) {
  a[(blockIdx.y * blockDim.y + threadIdx.y) * 64 + blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
void f(int *a, dim3 grid) { k<<<grid, dim3(32, 8)>>>(a); }
