// heddle opt --assume whole-program -d "regroup by=threadIdx.x"

__global__ void k(int *a) { a[threadIdx.x] = 1; }
void f(int *a, int n) { k<<<2, n>>>(a); }
