// heddle opt --assume whole-program -d "coarsen x=2"

__device__ int next(int *p) { return *p += 1; }
__global__ void k(float *a, const float *b, int *c, int n) {
  __shared__ float s[64];
  float parts[3] = {1, 2, 3};
  for (unsigned at = 0; at < 3; ++at) {
    float part = parts[at];
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      s[t] = part;
    }
    __syncthreads();
    #pragma unroll
    for (unsigned kx = 0; kx < 2; ++kx) {
      const unsigned threadX = threadIdx.x + kx * blockDim.x;
      int t = threadX;
      a[t] += s[63 - t];
    }
    __syncthreads();
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, nullptr, 0); }
