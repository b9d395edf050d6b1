// heddle opt --assume whole-program -d "coarsen grid=3"

__global__ void k(float *a, const float *b, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  if (i >= n)
    return;
  for (int r = 0; r < rounds; ++r)
    sum += b[r] * b[r + i];
  a[i] = sum;
}
void f(float *a, const float *b, int n) { k<<<(n + 63) / 64, 64>>>(a, b, n, 3); }
