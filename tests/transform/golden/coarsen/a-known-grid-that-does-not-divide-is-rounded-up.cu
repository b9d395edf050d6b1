// heddle opt --assume whole-program -d "coarsen grid=4 map=blocked"

__global__ void k(float *a) { a[blockIdx.x * 64 + threadIdx.x] = gridDim.x; }
void f(float *a) { k<<<dim3(6, 2), 64>>>(a); }
