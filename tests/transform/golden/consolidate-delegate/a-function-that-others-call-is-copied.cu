// heddle opt --assume whole-program -k k -d "consolidate remap=off delegate=on"

__device__ int first() { return blockIdx.x * 32; }
__global__ void other(int *a) { *a = first(); }
__global__ void k(float *a, int n) {
  a[first() + threadIdx.x] = n;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
void f() { other<<<1, 64>>>(nullptr); }
