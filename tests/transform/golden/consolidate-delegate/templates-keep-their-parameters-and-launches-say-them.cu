// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

template <class T, int N> __global__ void k(T *a);
template <class T, int N>
__global__ void __launch_bounds__(32, 8) k(T *a) {
  if constexpr (N > 1)
    a[threadIdx.x] = blockIdx.x;
  else
    a[threadIdx.x] = gridDim.x;
}
template <int N, class T> __global__ void deduced(T *a) { a[threadIdx.x] = N; }
void f(float *a, int *b) {
  k<float, 1><<<1, 32>>>(a);
  k<int, 2><<<dim3(2, 2), 32>>>(b);
  deduced<7><<<1, 32>>>(b);
}
