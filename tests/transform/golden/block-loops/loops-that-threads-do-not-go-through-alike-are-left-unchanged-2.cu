// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void k(float *out, const float *in, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < int(threadIdx.x) + 9; i += blockDim.x)
    sum += in[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
void f() { k<<<64, 128>>>(nullptr, nullptr, 99999); }
