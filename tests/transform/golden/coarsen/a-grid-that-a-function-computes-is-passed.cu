// heddle opt --assume whole-program -d "coarsen grid=2"

static int blocksFor(int n) {
  int blocks = n / 64;
  if (n % 64)
    ++blocks;
  return blocks;
}
__global__ void k(float *a) { a[blockIdx.x * 64 + threadIdx.x] = 1.0f; }
void f(float *a, int n) { k<<<blocksFor(n), 64>>>(a); }
