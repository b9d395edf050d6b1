// heddle opt --assume whole-program -d auto

__global__ void k(float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = b[i];
}
void f(float *a, float *b, int n) {
  k<<<n / 64, 64>>>(a, b, n);
  k<<<n / 128, 128>>>(a, b, n);
}
