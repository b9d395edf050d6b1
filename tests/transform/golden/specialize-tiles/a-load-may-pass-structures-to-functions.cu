// heddle opt --assume whole-program -d "specialize copy=ld buffers=2"

struct Matrix {
  int stride;
  const float *elements;
};
__device__ Matrix part(Matrix m, int row) {
  Matrix below;
  below.stride = m.stride;
  below.elements = m.elements + row * m.stride;
  return below;
}
__device__ float get(const Matrix &m, int i) { return m.elements[i]; }

__global__ void k(float *__restrict__ out, Matrix m, int rows) {
  __shared__ float tile[64];
  float sum = 0;
  for (int row = 0; row < rows; ++row) {
    Matrix here = part(m, row);
    tile[threadIdx.x] = get(here, threadIdx.x);
    __syncthreads();
    for (int j = 0; j < 64; ++j)
      sum += tile[j] * j;
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
void f(float *a, Matrix m, int n) { k<<<n / 64, 64>>>(a, m, n); }
