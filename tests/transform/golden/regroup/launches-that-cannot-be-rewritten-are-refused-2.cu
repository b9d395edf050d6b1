// heddle opt --assume whole-program -d "regroup by=threadIdx.x" -d "regroup by=threadIdx.x"

__global__ void k(int *a) { a[threadIdx.x] = 1; }
void f(int *a) { k<<<2, 32>>>(a); }
