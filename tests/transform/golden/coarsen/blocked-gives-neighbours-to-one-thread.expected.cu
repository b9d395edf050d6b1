// heddle opt --assume whole-program -d "coarsen x=4 map=blocked"

__global__ void k(float *a, const float *b, int n) {
  #pragma unroll
  for (unsigned kx = 0; kx < 4; ++kx) {
    const unsigned threadX = threadIdx.x * 4 + kx;
    a[threadX] = 1.0f;
  }
}
int main() { k<<<4, 64 / 4>>>(nullptr, nullptr, 0); }
