// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// with the toolkit: nvcc only (Clang refuses NVIDIA's barrier in shared memory)
//
// cuda::atomic, cuda::barrier, cuda::pipeline and the parts of cuda::std that kernels use.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/cstdint>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ cuda::atomic<int, cuda::thread_scope_device> flag{0};

__global__ void atomics(int *data, float *sums) {
  cuda::atomic_ref<int, cuda::thread_scope_block> shared(data[0]);
  shared.fetch_add(1, cuda::memory_order_relaxed);
  int expected = 0;
  flag.compare_exchange_strong(expected, 1, cuda::memory_order_acq_rel);
  cuda::atomic_ref<float, cuda::thread_scope_device> sum(sums[0]);
  sum.fetch_add(1.0f);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  static_assert(cuda::std::is_same_v<cuda::std::int32_t, int>);
  data[1] = shared.load(cuda::memory_order_acquire) + flag.exchange(2) + ++flag;
}

__global__ void barriers(const float *in, float *out) {
  __shared__ float tile[128];
  __shared__ Barrier barrier;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0)
    init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(block, tile, in, sizeof(float) * block.size(), barrier);
  Barrier::arrival_token token = barrier.arrive();
  barrier.wait(cuda::std::move(token));
  out[block.thread_rank()] = tile[127 - block.thread_rank()];
  barrier.arrive_and_wait();
}

__global__ void pipelines(const float *in, float *out) {
  __shared__ float stages[2][128];
  auto pipe = cuda::make_pipeline();
  int i = threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    pipe.producer_acquire();
    cuda::memcpy_async(&stages[step % 2][i], &in[step * 128 + i], sizeof(float), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[step * 128 + i] = stages[step % 2][i];
    pipe.consumer_release();
  }
}

int main() {
  atomics<<<1, 32>>>(nullptr, nullptr);
  barriers<<<1, 128>>>(nullptr, nullptr);
  pipelines<<<1, 128>>>(nullptr, nullptr);
}
