// heddle opt --assume whole-program --block 128 -d "coarsen grid=2"

__global__ void k(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = a[i] * 2.0f;
}
void f(float *a, int n, int threads) { k<<<n / threads, threads>>>(a); }
