// heddle opt --assume whole-program -d "unroll-jam factor=2 line=5"

__global__ void sums(float *__restrict__ out, const float *__restrict__ in, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 64; i += 2) {
    float s0 = 0;
    float s1 = 0;
    for (int j = 0;
         j < 64;
         ++j) {
      s0 += in[(t + i) * 64 + j]; /* first line
                                    second line */
      s1 += in[(t + i + 1) * 64 + j];
    }
    out[(t * 64 + i)] = s0; /* trailing
                              comment */
    out[(t * 64 + i + 1)] = s1;
  }
}
