// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = b[i];
  __syncthreads();
  a[i] = s[63 - threadIdx.x];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
