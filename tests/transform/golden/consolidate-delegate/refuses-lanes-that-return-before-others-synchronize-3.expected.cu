// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

#include <heddle/delegate.cuh>

__device__ __forceinline__ void kTask(const heddle::Task &task, float *a, int n) {
  __syncwarp();
  if (threadIdx.x >= n)
    return;
  a[threadIdx.x] = n;
}

__global__ void __launch_bounds__(128) k(heddle::Tasks<4> tasks, float *a, int n) {
  for (const heddle::Task task : tasks) {
    kTask(task, a, n);
    __syncwarp(); // shared memory is free for the next one
  }
}
int main() { heddle::delegate(k, 4, 32)(nullptr, 0); }
