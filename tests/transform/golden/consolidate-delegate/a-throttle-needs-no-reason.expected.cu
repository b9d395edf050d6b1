// heddle opt --remarks -d "consolidate remap=off throttle=4"
#include <heddle/delegate.cuh>

__device__ __forceinline__ static void kTask(const heddle::Task &task, float *a, int n) {
  const uint3 blockIdx = task.blockIdx;
  int i = blockIdx.x * 32u + threadIdx.x;
  if (i < n)
    a[i] *= 2.0f;
}

__global__ static void __launch_bounds__(128) k(
    heddle::Tasks<4, heddle::Order::Static, 4> tasks, float *a, int n) {
  for (const heddle::Task task : tasks) {
    kTask(task, a, n);
    __syncwarp(); // shared memory is free for the next one
  }
}
void start(float *a, int n) { heddle::delegate(k, 100000, 32)(a, n); }
