// heddle opt --assume whole-program --remarks -d "launch-bounds blocks=4"

__global__ void __launch_bounds__(256, 4) k(float *a) { a[threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<4, 256>>>(a); }
