// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  a[threadIdx.x] = n;
}
int main() { auto p = k; k<<<4, 32>>>(nullptr, 0); (void)p; }
