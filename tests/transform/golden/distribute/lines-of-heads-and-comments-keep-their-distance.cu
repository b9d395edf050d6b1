// heddle opt --assume whole-program -d distribute

__global__ void two(float *__restrict__ out, float *__restrict__ to, const float *__restrict__ in, int n) {
  for (int i = 0;
       i < n;
       ++i) {
    out[i] = in[i]; /* first line
                       second line */
    to[i] = in[i] * 2; /* trailing
                          comment */
  }
}
