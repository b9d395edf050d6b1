// heddle opt --assume whole-program -d "coarsen y=2"

struct S { __device__ operator int() const { return threadIdx.x; } };
__global__ void k(int *a, int n) {
  S s; int v = s;
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
