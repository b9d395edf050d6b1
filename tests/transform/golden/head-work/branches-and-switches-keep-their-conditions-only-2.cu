// heddle opt --assume whole-program -d "coarsen x=2"

__device__ int next(int *p) { return *p += 1; }
__global__ void k(float *a, const float *b, int *c, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  switch (int j = 63 - t; n) {
  case 1:
    s[t] = b[j];
    __syncthreads();
    a[t] += s[63 - t] * j;
    __syncthreads();
    break;
  }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, nullptr, 0); }
