// heddle opt --assume whole-program -d "consolidate remap=off delegate=on"

#include <heddle/delegate.cuh>

__device__ __forceinline__ void kTask(const heddle::Task &task, float *a, int n) {
  const uint3 threadIdx = heddle::threadOfTask<2>();
  __shared__ int sOfWarps[4][32];
  auto &s = sOfWarps[heddle::warpOfBlock<2>()];
  s[threadIdx.z * 16 + threadIdx.y * 4 + threadIdx.x] = n;
}

__global__ void __launch_bounds__(128) k(heddle::Tasks<4, heddle::Order::Static, 0, 2> tasks, float *a, int n) {
  for (const heddle::Task task : tasks) {
    kTask(task, a, n);
    __syncwarp(); // shared memory is free for the next one
  }
}
int main() { heddle::delegate(k, 4, dim3(4, 4, 2))(nullptr, 0); }
