// heddle opt --assume whole-program -d "launch-bounds blocks=8"

__global__ void k(float *a) { __shared__ float s[10000]; s[threadIdx.x] = 1; a[0] = s[0]; }
void f(float *a, int n) { k<<<4, 64>>>(a); }
