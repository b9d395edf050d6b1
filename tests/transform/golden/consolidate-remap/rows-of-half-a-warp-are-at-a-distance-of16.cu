// heddle opt --assume whole-program -d "consolidate remap=on delegate=off"

__global__ void k(int *a) {
  __shared__ int s[4][16];
  #pragma unroll
  for (unsigned ky = 0; ky < 2; ++ky)
    s[threadIdx.y + ky * blockDim.y][threadIdx.x] = 1;
  __syncwarp();
  a[threadIdx.y * 16 + threadIdx.x] = s[threadIdx.y + 1][threadIdx.x];
}
int main() { k<<<1, dim3(16, 2)>>>(nullptr); }
