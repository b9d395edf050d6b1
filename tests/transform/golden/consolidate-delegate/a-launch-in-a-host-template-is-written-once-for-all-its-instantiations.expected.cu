// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

#include <heddle/delegate.cuh>

template <class T> __device__ __forceinline__ void kTask(
    const heddle::Task &task, T *a) {
  const uint3 blockIdx = task.blockIdx; a[threadIdx.x] = blockIdx.x; }

template <class T> __global__ void __launch_bounds__(128) k(
    heddle::Tasks<4> tasks, T *a) {
  for (const heddle::Task task : tasks) {
    kTask<T>(task, a);
    __syncwarp(); // shared memory is free for the next one
  }
}
template <class T> void launch(T *a) { heddle::delegate(k<T>, 2, 32)(a); }
void f(float *a, int *b, char *c) { launch(a), launch(b), launch(c); }
