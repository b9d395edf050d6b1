// heddle opt --assume whole-program -d "coarsen x=2"

template <bool adds> __global__ void k(float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  for (int t = 0; t < n; ++t)
    if constexpr (adds)
      x += b[t * n + i];
    else
      x -= b[t * n + i];
  a[i] = x;
}
void run(float *a, float *b) { k<true><<<4, 128>>>(a, b, 128); }
