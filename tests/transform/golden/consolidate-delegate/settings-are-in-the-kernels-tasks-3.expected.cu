// heddle opt --assume whole-program -d "consolidate remap=off delegate=on throttle=3"

#include <heddle/delegate.cuh>

__device__ __forceinline__ void kTask(const heddle::Task &task, float *a, int n) {
  const uint3 blockIdx = task.blockIdx;
  a[blockIdx.x * 32 + threadIdx.x] = n;
}

__global__ void __launch_bounds__(96) k(heddle::Tasks<3, heddle::Order::Static, 3> tasks, float *a, int n) {
  for (const heddle::Task task : tasks) {
    kTask(task, a, n);
    __syncwarp(); // shared memory is free for the next one
  }
}
int main() { heddle::delegate(k, 4, 32)(nullptr, 0); }
