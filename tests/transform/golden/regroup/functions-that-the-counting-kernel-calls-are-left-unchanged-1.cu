// heddle opt --assume whole-program -d "regroup by=profile"

__device__ int own() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int limit(const int *work) {
  int most = 0;
  for (int j = 0; j < work[own()]; ++j)
    ++most;
  return most;
}
__global__ void k(float *a, const int *work, int n) {
  const int i = own();
  if (i >= n)
    return;
  for (int j = 0; j < limit(work); ++j)
    a[i] += 1.0f;
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
