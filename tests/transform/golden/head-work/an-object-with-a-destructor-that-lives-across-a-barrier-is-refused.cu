// heddle opt --assume whole-program -d "coarsen x=2"

struct Guard { int *p; __device__ Guard(int *p) : p(p) {} __device__ ~Guard() { *p = 1; } };
__global__ void k(float *a, int *c) {
  __shared__ float s[64];
  Guard guard(c + threadIdx.x);
  s[threadIdx.x] = 1;
  __syncthreads();
  a[threadIdx.x] = s[63 - threadIdx.x] + *guard.p;
}
int main() { k<<<4, 64>>>(nullptr, nullptr); }
