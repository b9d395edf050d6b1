// heddle opt --assume whole-program -d "coarsen y=2"

struct S { int *p; __device__ ~S() { p[threadIdx.x] += 1; } };
__device__ int f(S s) { return 1; }
__global__ void k(int *a, int n) {
  int v = f(S{a});
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
