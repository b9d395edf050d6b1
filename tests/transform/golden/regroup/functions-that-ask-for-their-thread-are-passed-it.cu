// heddle opt --assume whole-program -d "regroup by=work[blockIdx.x*64+threadIdx.x]"

__device__ int place() { return blockIdx.x * 64 + threadIdx.x; }
__global__ void k(float *a, const int *work, int n) {
  const int i = place();
  a[i] = work[i];
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
