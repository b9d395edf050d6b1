// heddle opt --assume whole-program -d "branchless line=8" -d "branchless line=6"

__global__ void clampTo(float *a, float lo, float hi) {
  int i = threadIdx.x;
  float v = a[i];
  const float vIfTrueIfFalse = hi * 0.5f;
  const float vIfFalse = v > hi ? vIfTrueIfFalse : v;
  v = v < lo ? lo : vIfFalse;
  a[i] = v;
}
