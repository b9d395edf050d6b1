// heddle opt --assume whole-program -d "coarsen y=2"


__global__ void k(int *a, int n) {
  auto f = [](int b, int c = threadIdx.x) { return b + c; }; int v = f(n);
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, dim3(32, 2)>>>(nullptr, 3); }
