// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(int *a, int n) {
  __shared__ int t[64];
  int rounds = n / 2, last = n - 1;
  for (int r = 0; r < rounds; ++r) {
    t[threadIdx.x] = r + last;
    __syncthreads();
    a[threadIdx.x] += t[63 - threadIdx.x];
    __syncthreads();
  }
}
int main() { k<<<1, 64>>>(nullptr, 4); }
