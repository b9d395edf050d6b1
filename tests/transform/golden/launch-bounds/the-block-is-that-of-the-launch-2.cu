// heddle opt --assume whole-program -d "launch-bounds blocks=2"

__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<4, dim3(16, 16)>>>(a); }
