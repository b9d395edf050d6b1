// heddle opt --assume whole-program --remarks -d "consolidate remap=on delegate=off"

__global__ void k(int *a) {
  __shared__ int s[256];
  for (int kx = 0; kx < 8; ++kx)
    s[threadIdx.x + kx * 32] = a[threadIdx.x + kx * 32];
  __syncwarp();
  a[threadIdx.x] = s[threadIdx.x];
}
int main() { k<<<1, 32>>>(nullptr); }
