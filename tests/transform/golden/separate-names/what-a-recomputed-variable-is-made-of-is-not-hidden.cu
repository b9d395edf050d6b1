// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[64];
  int m = n + 1;
  int at = threadIdx.x * m;
  s[threadIdx.x] = b[at];
  __syncthreads();
  {
    int m = 3;
    a[at] = s[63 - threadIdx.x] * m;
  }
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
