// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  float u;
  s[threadIdx.x] = b[threadIdx.x];
  __syncthreads();
  if (n > 0) u = s[63 - threadIdx.x]; else u = 1.0f;
  a[threadIdx.x] = u;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
