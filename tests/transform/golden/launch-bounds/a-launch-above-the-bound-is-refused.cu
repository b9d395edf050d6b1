// heddle opt --assume whole-program -d "launch-bounds threads=256"

__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<4, 512>>>(a); }
