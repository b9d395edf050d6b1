// heddle opt --assume whole-program -d "coarsen x=2"
// heddle opt --assume whole-program -d "coarsen x=2 map=blocked"
// heddle opt --assume whole-program -d "regroup by=a[threadIdx.x]"


__global__ void k(int *a, int n) {
  auto f = [](int b, int c = threadIdx.x) { return b + c; }; int v = f(n);
  a[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
int main() { k<<<4, 64>>>(nullptr, 3); }
