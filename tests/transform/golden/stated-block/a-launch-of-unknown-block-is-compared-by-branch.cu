// heddle opt --assume whole-program --block 128 -d "specialize by=branch"

__global__ void k(float *a, const int *kind) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (kind[i] == 1)
    a[i] = 1.0f;
  else
    a[i] = a[i] * 2.0f;
}
void f(float *a, const int *kind, int n, int threads) { k<<<n / threads, threads>>>(a, kind); }
