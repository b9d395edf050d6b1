// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  // what was seen
  float u = 0.0f; // nothing yet
  for (int j = 0; j < n; ++j) {
    u += b[threadIdx.x];
    __syncthreads();
  }
  a[threadIdx.x] = u;
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
