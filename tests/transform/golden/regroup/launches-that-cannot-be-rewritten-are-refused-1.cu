// heddle opt --assume whole-program -d "regroup by=threadIdx.x"

__global__ void k(int *a) { a[threadIdx.x] = 1; }
void f(int *a) { void *p[] = {&a}; cudaLaunchKernel((void *)k, 2, 32, p, 0, 0); }
