// heddle opt --assume whole-program --block 128,1,1 -d launch-bounds

__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<4, n>>>(a); }
