// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  a[blockIdx.x * 32 + threadIdx.x] = n;
}
int main() { float *a = nullptr; int n = 0; void *list[] = {&a, &n}; cudaLaunchKernel((const void *)k, dim3(4), dim3(32), list, 0, 0); }
