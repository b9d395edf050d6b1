// heddle opt --assume whole-program --remarks -d "consolidate remap=on delegate=off"

__global__ void k(int *a, const int *b, int n) {
  __shared__ int s[256];
  #pragma unroll
  for (unsigned kx = 0; kx < 8; ++kx) {
    const unsigned t = threadIdx.x + kx * 32;
    s[t] = b[t];
  }
  __syncwarp();
  #pragma unroll
  for (unsigned kx = 0; kx < 8; ++kx) {
    const unsigned t = threadIdx.x + kx * 32;
    a[t] = s[b[t]];
  }
}
int main() { k<<<4, 32>>>(nullptr, nullptr, 0); }
