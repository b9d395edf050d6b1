// heddle opt --assume whole-program -d regroup

__global__ void k(float *a, const int *work, int n) {
  a[threadIdx.x] = work[threadIdx.x];
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
