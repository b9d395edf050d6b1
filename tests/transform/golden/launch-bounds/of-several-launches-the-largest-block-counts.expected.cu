// heddle opt --assume whole-program -d launch-bounds

__global__ void __launch_bounds__(96) k(float *a) { a[threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<4, 64>>>(a); }
void g(float *a) { k<<<1, 96>>>(a); }
