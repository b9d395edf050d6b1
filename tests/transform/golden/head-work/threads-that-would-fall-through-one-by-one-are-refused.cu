// heddle opt --assume whole-program -d "coarsen x=2"

__device__ int next(int *p) { return *p += 1; }
__global__ void k(float *a, const float *b, int *c, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  switch (n) {
  case 1:
    s[t] = b[t];
    __syncthreads();
    if (t < 10) break;
    a[t] += s[63 - t];
  default: a[t] += 1;
  }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, nullptr, 0); }
