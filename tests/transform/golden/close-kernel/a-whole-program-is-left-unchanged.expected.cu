// heddle opt -d "coarsen x=2"

__global__ void k(float *a) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    a[threadX] *= 2.0f;
  }
}
void f(float *a) { k<<<8, 256 / 2>>>(a); }
int main() { float *a; cudaMalloc(&a, 9); f(a); }
