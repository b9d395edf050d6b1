// heddle opt --assume whole-program --remarks -d consolidate

__global__ void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
void f(int *a) { k<<<5000, 256>>>(a); }
