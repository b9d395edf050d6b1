// heddle opt --assume whole-program -d "regroup by=threadIdx.x"

#define digits 10
#define Way 1

__global__ void k(int *a) { a[threadIdx.x] = digits; }
void f(int *a, int n) { k<<<2, n>>>(a); }
