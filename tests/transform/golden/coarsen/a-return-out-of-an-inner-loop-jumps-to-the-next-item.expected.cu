// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    {
      for (int i = threadX; i < n; ++i)
        if (b[i] > 0.0f) goto nextItem;
      a[threadX] = 1.0f;
    }
    nextItem:;
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
