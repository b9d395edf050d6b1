// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = b[threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
  for (int j = 0; j < 64; ++j)
    sum += s[j];
  a[threadIdx.x] = sum;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
