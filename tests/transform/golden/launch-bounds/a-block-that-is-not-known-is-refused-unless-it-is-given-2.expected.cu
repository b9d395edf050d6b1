// heddle opt --assume whole-program --remarks -d "launch-bounds threads=256"

__global__ void __launch_bounds__(256) k(float *a) { a[threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<4, n>>>(a); }
