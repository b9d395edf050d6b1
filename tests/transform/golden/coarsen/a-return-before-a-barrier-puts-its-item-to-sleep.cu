// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  if (b[threadIdx.x] < 0.0f)
    return;
  s[threadIdx.x] = 1.0f;
  __syncthreads();
  a[threadIdx.x] = s[threadIdx.x];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
