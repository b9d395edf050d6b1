// heddle opt --assume whole-program --remarks -d "consolidate remap=on delegate=off"

__global__ void k(int *a) {
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (threadIdx.x < half)
      s[threadIdx.x] += s[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    a[0] = s[0];
}
int main() { k<<<1, 64>>>(nullptr); }
