// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void scale(float *out, const float *in) {
  #pragma unroll
  for (unsigned kx = 0; kx < 2; ++kx) {
    const unsigned threadX = threadIdx.x + kx * blockDim.x;
    const int t = blockIdx.x * (blockDim.x * 2) + threadX;
    float x = in[t]; /* first line
                        second line */
    out[t] = x * 2;
  }
}
void run(float *out, const float *in) { scale<<<4, 64 / 2>>>(out, in); }
