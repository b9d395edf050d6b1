// heddle opt --assume whole-program -d launch-bounds

namespace n { __global__ void k(float *a); }
__global__ void n::k(float *a) { *a = 1; }
void f(float *a) { n::k<<<1, 32>>>(a); }
