// heddle opt --assume whole-program -k counts -d "coarsen x=2"

__global__ void counts(volatile float *in, float *out, int count) {
  float sum = 0;
  for (volatile int k = 0; k < count; ++k) {
    float value = in[k];
    if (value > 0)
      sum += value;
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = sum;
}

void f(float *a, float *b) { counts<<<4, 64>>>(a, b, 256); }
