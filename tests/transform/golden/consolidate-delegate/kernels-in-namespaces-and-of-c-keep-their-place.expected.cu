// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

#include <heddle/delegate.cuh>

namespace inner {
static __device__ __forceinline__ void kTask(
    const heddle::Task &task, int *a) {
  const uint3 blockIdx = task.blockIdx; a[threadIdx.x] = blockIdx.x; }

static __global__ void __launch_bounds__(128) k(heddle::Tasks<4> tasks, int *a) {
  for (const heddle::Task task : tasks) {
    kTask(task, a);
    __syncwarp(); // shared memory is free for the next one
  }
}
}
extern "C" __device__ __forceinline__ void cTask(
    const heddle::Task &task, int *a) {
  const uint3 blockIdx = task.blockIdx; a[threadIdx.x] = blockIdx.x; }

extern "C" __global__ void __launch_bounds__(128) c(
    heddle::Tasks<4> tasks, int *a) {
  for (const heddle::Task task : tasks) {
    cTask(task, a);
    __syncwarp(); // shared memory is free for the next one
  }
}
void f(int *a) { heddle::delegate(inner::k, 9, 32)(a); heddle::delegate(c, 9, 32)(a); }
