// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

#include <heddle/delegate.cuh>

__device__ __forceinline__ void oneTask(
    const heddle::Task &task, int *a) {
  const uint3 blockIdx = task.blockIdx; a[threadIdx.x] = blockIdx.x; }

__global__ void __launch_bounds__(128) one(heddle::Tasks<4> tasks, int *a) {
  for (const heddle::Task task : tasks) {
    oneTask(task, a);
    __syncwarp(); // shared memory is free for the next one
  }
}
__device__ __forceinline__ void twoTask(
    const heddle::Task &task, int *a) {
  const uint3 blockIdx = task.blockIdx; a[threadIdx.x] = blockIdx.x; }

__global__ void __launch_bounds__(128) two(heddle::Tasks<4> tasks, int *a) {
  for (const heddle::Task task : tasks) {
    twoTask(task, a);
    __syncwarp(); // shared memory is free for the next one
  }
}
__device__ __forceinline__ void threeTask(
    const heddle::Task &task2, int *a, int task) {
  const uint3 blockIdx = task2.blockIdx; a[threadIdx.x] = blockIdx.x + task; }

__global__ void __launch_bounds__(128) three(
    heddle::Tasks<4> tasks, int *a, int task) {
  for (const heddle::Task task2 : tasks) {
    threeTask(task2, a, task);
    __syncwarp(); // shared memory is free for the next one
  }
}
void f(int *a) { heddle::delegate(one, 9, 32)(a); heddle::delegate(two, 9, 32)(a); heddle::delegate(three, 9, 32)(a, 1); }
