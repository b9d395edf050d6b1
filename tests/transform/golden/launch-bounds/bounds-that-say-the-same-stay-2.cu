// heddle opt --assume whole-program --remarks -d "launch-bounds blocks=3"

__global__ void __launch_bounds__(128, 3) k(float *a) { a[threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<4, 128>>>(a); }
