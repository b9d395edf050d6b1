// heddle opt --assume whole-program -k counts -d "coarsen x=2"

__global__ void counts(volatile float *in, float *out, int count) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    float sum = 0;
    for (volatile int k = 0; k < count; ++k) {
      float value = in[k];
      if (value > 0)
        sum += value;
    }
    out[threadX + blockIdx.x * (blockDim.x * 2)] = sum;
  }
}

void f(float *a, float *b) { counts<<<4, 64 / 2>>>(a, b, 256); }
