// heddle opt --assume whole-program -d "coarsen x=2"

__global__ void scale(float *out, const float *in) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[t]; /* first line
                      second line */
  out[t] = x * 2;
}
void run(float *out, const float *in) { scale<<<4, 64>>>(out, in); }
