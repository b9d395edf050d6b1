// heddle opt --assume whole-program -d "coarsen x=2"

__device__ int next(int *p) { return *p += 1; }
__global__ void k(float *a, const float *b, int *c, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float parts[3] = {1, 2, 3};
  for (float part : parts) {
    s[t] = part;
    __syncthreads();
    a[t] += s[63 - t];
    __syncthreads();
  }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, nullptr, 0); }
