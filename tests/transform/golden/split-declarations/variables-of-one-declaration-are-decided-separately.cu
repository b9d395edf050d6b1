// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(int *a, int n) {
  __shared__ int t[64];
  int i = threadIdx.x, rounds = n / 2, *p = a + n;
  for (int r = 0; r < rounds; ++r) {
    t[i] = r;
    __syncthreads();
    p[i] += t[63 - i];
    __syncthreads();
  }
}
int main() { k<<<1, 64>>>(nullptr, 4); }
