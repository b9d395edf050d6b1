// heddle opt --assume whole-program -d "coarsen grid=2"

__global__ void k(float *a, int n) { a[blockIdx.x * 64 + threadIdx.x] = n; }
void f(float *a, int n) { k<<<n, 64>>>(a, n--); }
