// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

#include <heddle/delegate.cuh>

template <class T, int N> __global__ void k(heddle::Tasks<4>, T *a);
template <class T, int N>
__device__ __forceinline__ void  kTask(const heddle::Task &task, T *a) {
  const uint3 blockIdx = task.blockIdx;
  const dim3 gridDim = task.gridDim;
  if constexpr (N > 1)
    a[threadIdx.x] = blockIdx.x;
  else
    a[threadIdx.x] = gridDim.x;
}

template <class T, int N>
__global__ void __launch_bounds__(128, (8 + 3) / 4) k(heddle::Tasks<4> tasks, T *a) {
  for (const heddle::Task task : tasks) {
    kTask<T, N>(task, a);
    __syncwarp(); // shared memory is free for the next one
  }
}
template <int N, class T> __device__ __forceinline__ void deducedTask(
    const heddle::Task &task, T *a) { a[threadIdx.x] = N; }

template <int N, class T> __global__ void __launch_bounds__(128) deduced(
    heddle::Tasks<4> tasks, T *a) {
  for (const heddle::Task task : tasks) {
    deducedTask<N, T>(task, a);
    __syncwarp(); // shared memory is free for the next one
  }
}
void f(float *a, int *b) {
  heddle::delegate(k<float, 1>, 1, 32)(a);
  heddle::delegate(k<int, 2>, dim3(2, 2), 32)(b);
  heddle::delegate(deduced<7, int>, 1, 32)(b);
}
