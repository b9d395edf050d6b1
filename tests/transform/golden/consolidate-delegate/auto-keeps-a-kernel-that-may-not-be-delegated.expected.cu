// heddle opt --assume whole-program --remarks -d "consolidate remap=off delegate=auto"

__global__ void k(float *a, int n) {
  auto f = []() { return blockIdx.x; };
  a[f() * 32 + threadIdx.x] = n;
}
int main() { k<<<100000, 32>>>(nullptr, 0); }
