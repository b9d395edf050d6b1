// heddle opt --assume whole-program -k k -d "branchless line=7"

#pragma heddle launch-bounds threads=64
__global__ void first(float *a) { a[threadIdx.x] += 1; }
__global__ void k(float *a, float lo, float hi) {
  float v = a[threadIdx.x];
  if (v < lo)
    v = lo;
  else if (v > hi)
    v = hi;
  a[threadIdx.x] = v;
}
