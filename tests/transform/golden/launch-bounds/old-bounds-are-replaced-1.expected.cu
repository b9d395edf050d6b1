// heddle opt --assume whole-program -d launch-bounds

__global__ void __launch_bounds__(128) k(float *a) { a[threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<4, 128>>>(a); }
