// heddle opt --assume whole-program --block 128 -d scalar-replace

__global__ void k(float *a) { a[threadIdx.x] = 1; }
void f(float *a, int threads) { k<<<1, threads>>>(a); }
