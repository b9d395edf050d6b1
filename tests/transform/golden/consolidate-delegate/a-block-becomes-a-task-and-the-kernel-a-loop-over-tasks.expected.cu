// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

#include <cstdio>

// Doubles what is there.
#include <heddle/delegate.cuh>

__device__ __forceinline__ void kTask(const heddle::Task &task, float *a, int n) {
  const uint3 blockIdx = task.blockIdx;
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n)
    return; // none
  a[i] *= 2.0f;
}

__global__ void __launch_bounds__(128) k(heddle::Tasks<4> tasks, float *a, int n) {
  for (const heddle::Task task : tasks) {
    kTask(task, a, n);
    __syncwarp(); // shared memory is free for the next one
  }
}
void f(float *a, cudaStream_t s) { heddle::delegate(k, 8, 32, 0, s)(a, 9); }
