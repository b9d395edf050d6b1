// heddle opt --assume whole-program -d "coarsen grid=2"

__device__ unsigned width() { return gridDim.x; }
template <class T> __global__ void k(T *a);
template <class T> __global__ void k(T *a) {
  a[(blockIdx.y * width() + blockIdx.x) * 64 + threadIdx.x] += gridDim.y;
}
void f(float *a, int *b, dim3 grid, int rows) {
  k<<<grid, 64>>>(a);
  k<<<dim3(rows / 2, rows), 64>>>(b);
  k<<<5, 64>>>(b);
}
