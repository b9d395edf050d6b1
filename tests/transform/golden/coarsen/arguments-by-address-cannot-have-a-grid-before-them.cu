// heddle opt --assume whole-program -d "coarsen grid=2"

__global__ void k(float *a) { a[blockIdx.x * 64 + threadIdx.x] = 1.0f; }
void f(float *a, int n) {
  void *arguments[] = {&a};
  cudaLaunchKernel((const void *)k, dim3(n), dim3(64), arguments, 0, nullptr);
}
