// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  auto f = []() { return blockIdx.x; };
  a[f() * 32 + threadIdx.x] = n;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
