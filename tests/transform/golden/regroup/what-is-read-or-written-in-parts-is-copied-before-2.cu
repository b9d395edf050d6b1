// heddle opt --assume whole-program -d "regroup by=threadIdx.x via=layout"

struct Pair { int a, b; };
__global__ void k(Pair *p) { p[blockIdx.x * blockDim.x + threadIdx.x].a = threadIdx.x; }
void f(Pair *p) { k<<<2, 64>>>(p); }
