// heddle opt --assume whole-program -d auto

__global__ void k(float *out, const float *in, int pitch) {
  #pragma unroll
  for (unsigned ky = 0; ky < 4; ++ky) {
    const unsigned threadY = threadIdx.y + ky * blockDim.y;
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * (blockDim.y * 4) + threadY;
    out[y * pitch + x] = in[y * pitch + x];
  }
}
void f() { k<<<dim3(256, 256), dim3(16, 16 / 4)>>>(nullptr, nullptr, 4096); }
