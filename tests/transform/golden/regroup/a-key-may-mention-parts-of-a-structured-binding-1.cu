// heddle opt --assume whole-program -d "regroup by=branch"

__global__ void k(float *a, const int *work, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  struct Pair { int first, second; };
  auto [low, high] = Pair{i & 3, i & 7};
  if (high > 3)
    a[i] = low;
  else
    a[i] = high;
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
