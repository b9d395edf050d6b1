// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *a, const float *b, int n) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    auto limit = [=](float v, float most) { return v > most ? most : v; };
    a[threadX] = limit(a[threadX], 10.0f);
  }
}
int main() { k<<<4, 64 / 2>>>(nullptr, nullptr, 0); }
