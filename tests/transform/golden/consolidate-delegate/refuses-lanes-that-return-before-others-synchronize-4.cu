// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  for (int i = 0; i < n; ++i) {
    if (a[threadIdx.x] > i)
      return;
    a[i] = __shfl_sync(~0u, a[threadIdx.x], 0);
  }
}
int main() { k<<<4, 32>>>(nullptr, 0); }
