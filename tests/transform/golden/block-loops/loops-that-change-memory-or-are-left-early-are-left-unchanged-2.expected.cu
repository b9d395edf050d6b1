// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *out, const float *in, int n) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * (blockDim.x * 2) + threadX; i < n; i += gridDim.x * (blockDim.x * 2))
      sum += atomicAdd(out + i, in[i]);
    out[blockIdx.x * (blockDim.x * 2) + threadX] = sum;
  }
}
void f() { k<<<64, 128 / 2>>>(nullptr, nullptr, 99999); }
