// heddle opt --assume whole-program -k k -d "consolidate remap=off delegate=on"

#include <heddle/delegate.cuh>

__device__ int inner(int i) { return i + blockIdx.x; }

__device__ int innerOfk(const heddle::Task &task, int i) {
  const uint3 blockIdx = task.blockIdx; return i + blockIdx.x; }
__device__ int outer(int i) { return inner(i) * 2; }

__device__ int outerOfk(const heddle::Task &task, int i) { return innerOfk(task, i) * 2; }
__global__ void other(int *a) { a[threadIdx.x] = outer(threadIdx.x); }
__device__ __forceinline__ void kTask(
    const heddle::Task &task, int *a) {
  const uint3 blockIdx = task.blockIdx; a[blockIdx.x * 32 + threadIdx.x] = outerOfk(task, threadIdx.x); }

__global__ void __launch_bounds__(128) k(
    heddle::Tasks<4> tasks, int *a) {
  for (const heddle::Task task : tasks) {
    kTask(task, a);
    __syncwarp(); // shared memory is free for the next one
  }
}
void run(int *a) {
  other<<<1, 32>>>(a);
  heddle::delegate(k, 64, 32)(a);
}
