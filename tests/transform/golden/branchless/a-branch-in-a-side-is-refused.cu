// heddle opt --assume whole-program -d "branchless line=6"

__global__ void clampTo(float *a, float lo, float hi) {
  int i = threadIdx.x;
  float v = a[i];
  if (v < lo)
    v = lo;
  else if (v > hi)
    v = hi * 0.5f;
  a[i] = v;
}
