// heddle opt --assume whole-program -d "coarsen y=2"

struct S { int a; __device__ int operator+(int b) const { return b + threadIdx.x; } };
__global__ void k(int *a, int n) {
  S s{n}; int v = s + 1;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
