// heddle opt --assume whole-program -d "coarsen x=2"

__device__ int next(int *p) { return *p += 1; }
__global__ void k(float *a, const float *b, int *c, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (int j = 63 - t; n > 3) {
    s[t] = b[j];
    __syncthreads();
    a[t] += s[63 - t] * j;
    __syncthreads();
  }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, nullptr, 0); }
