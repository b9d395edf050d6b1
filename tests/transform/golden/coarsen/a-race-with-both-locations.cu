// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  __shared__ float s[65];
  s[threadIdx.x] = b[threadIdx.x];
  a[threadIdx.x] = s[threadIdx.x + 1];
}
int main() { k<<<4, 64>>>(nullptr, nullptr, 0); }
