// heddle opt --assume whole-program -d "consolidate remap=off delegate=on tasks=dynamic"

__global__ void k(float *a, int n) {
  a[blockIdx.x * 32 + threadIdx.x] = n;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
