// heddle opt --assume whole-program -d "coarsen grid=2; coarsen grid=2"

__global__ void k(float *a) { a[blockIdx.x * 64 + threadIdx.x] = gridDim.x; }
void f(float *a, int blocks) { k<<<blocks, 64>>>(a); }
