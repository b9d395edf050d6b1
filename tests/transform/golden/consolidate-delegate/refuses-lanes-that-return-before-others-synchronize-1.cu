// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  if (threadIdx.x >= n)
    return;
  __syncwarp();
  a[threadIdx.x] = n;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
