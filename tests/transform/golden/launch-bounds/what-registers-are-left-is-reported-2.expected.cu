// heddle opt --assume whole-program --remarks -d launch-bounds

__global__ void __launch_bounds__(32) k(float *a) { a[threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<4, 32>>>(a); }
