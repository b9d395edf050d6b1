// heddle opt --assume whole-program -d "coarsen grid=2"

__global__ void k(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2.0f;
}
void f(float *a, int n) { k<<<(n + 255) / 256, 256>>>(a, n); }
