// heddle opt --assume whole-program -d "regroup by=work[j]"

__global__ void k(float *a, const int *work, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int half = n / 2;
  const int j = i % half;
  float sums[4];
  const float scale = 1.0f / n;
  a[i] = scale * work[j];
}
void f(float *a, int *w, int n) { k<<<n / 64 + 1, 64>>>(a, w, n); }
