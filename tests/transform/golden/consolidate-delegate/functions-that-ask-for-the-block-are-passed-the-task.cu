// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__device__ int first() { return blockIdx.x * 32; }
__device__ int mine() { return first() + threadIdx.x; }
__global__ void k(float *a, int n) {
  a[mine()] = n;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
