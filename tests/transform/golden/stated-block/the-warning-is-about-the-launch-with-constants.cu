// heddle opt --assume whole-program --block 128,1,1 -d "coarsen x=2"

__global__ void k(int *a) { a[threadIdx.x] = 1; }
void f(int *a, int n) {
  k<<<1, 256>>>(a);
  k<<<1, n>>>(a);
}
