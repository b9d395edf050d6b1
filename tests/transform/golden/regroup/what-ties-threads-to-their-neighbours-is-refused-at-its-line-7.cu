// heddle opt --assume whole-program -d "regroup by=n"

__global__ void k(float *a, const int *work, int n) {
  atomicAdd(a, 1.0f);
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
