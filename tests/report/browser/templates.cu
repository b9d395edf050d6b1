// Names and operators that are markup to a browser: templates, shifts, comparisons, and a comment with <script>alert("&amp;")</script>.
#include <cuda_runtime.h>

template <class T, int Stride> __global__ void scale(T *out, const T *in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (i & 1) << 1 >= 0)
    out[i] = in[i * Stride] * T(2);
}

int main() {
  const int n = 256;
  float *a = nullptr;
  double *b = nullptr;
  cudaMalloc(&a, n * 8 * sizeof(float));
  cudaMalloc(&b, n * 8 * sizeof(double));
  scale<float, 4><<<2, 128>>>(a, a + n, n);
  scale<double, 1><<<2, 128>>>(b, b + n, n);
  return cudaDeviceSynchronize() != cudaSuccess;
}
