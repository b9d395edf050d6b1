// heddle opt --assume whole-program -d "unroll-jam factor=2 line=5"

__global__ void sums(float *__restrict__ out, const float *__restrict__ in, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0;
       i < 64;
       ++i) {
    float s = 0;
    for (int j = 0;
         j < 64;
         ++j) {
      s += in[(t + i) * 64 + j]; /* first line
                                    second line */
    }
    out[(t * 64 + i)] = s; /* trailing
                              comment */
  }
}
