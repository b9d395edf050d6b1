// heddle opt --assume whole-program -d "coarsen x=2"

#define X 3
#define grid 64
#define CHECKED(call) call
#define _LIMIT 5

__global__ void k(float *a) { a[threadIdx.x] *= X; }
void f(float *a, int n) { k<<<grid, n>>>(a); }
