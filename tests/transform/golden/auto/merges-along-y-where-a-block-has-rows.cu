// heddle opt --assume whole-program -d auto

__global__ void k(float *out, const float *in, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * pitch + x] = in[y * pitch + x];
}
void f() { k<<<dim3(256, 256), dim3(16, 16)>>>(nullptr, nullptr, 4096); }
