// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  a[threadIdx.x] = gridDim.y + threadIdx.z + blockDim.z;
}
int main() { k<<<4, 32>>>(nullptr, 0); }
