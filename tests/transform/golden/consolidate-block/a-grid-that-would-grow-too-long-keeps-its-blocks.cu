// heddle opt --assume whole-program -d "consolidate remap=off delegate=off"

__global__ void k(int *a) {
  a[(blockIdx.y * blockDim.y + threadIdx.y) * 32 + blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
void f(int *a) { k<<<dim3(1, 10000), dim3(32, 8)>>>(a); }
