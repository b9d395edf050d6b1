// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

__global__ void k(float *a, int n) {
  __shared__ int s[32];
  s[threadIdx.z * 16 + threadIdx.y * 4 + threadIdx.x] = n;
}
int main() { k<<<4, dim3(4, 4, 2)>>>(nullptr, 0); }
