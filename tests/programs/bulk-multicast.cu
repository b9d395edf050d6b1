// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cp.async.bulk with .multicast::cluster: each block of a cluster loads one part of a tile for all of them, and one
// block sends to some of them only.
#include "Check.h"

constexpr int blocks = 4, part = 64, tile = blocks * part;

__device__ unsigned sharedAddress(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ unsigned rankInCluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ void clusterSync() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ void initialize(unsigned barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(barrier)
               : "memory");
}
__device__ void expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ void wait(unsigned barrier, unsigned parity) {
  unsigned done;
  do {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (!done);
}
__device__ void multicast(void *to, const void *from, int bytes, unsigned barrier, unsigned short ranks) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1], %2, [%3], %4;" ::"r"(sharedAddress(to)),
               "l"(from), "r"(bytes), "r"(barrier), "h"(ranks)
               : "memory");
}

/// Every block ends up with the whole tile, of which it loaded a quarter.
__global__ void everyPart(const int *in, int *out) {
  __shared__ alignas(128) int cells[tile];
  __shared__ alignas(8) unsigned long long storage;
  const unsigned barrier = sharedAddress(&storage), rank = rankInCluster();
  if (threadIdx.x == 0) {
    initialize(barrier);
    expect(barrier, sizeof cells);
  }
  __syncthreads();
  clusterSync();
  const int *source = in + blockIdx.x / blocks * tile;
  if (threadIdx.x == 0)
    multicast(cells + rank * part, source + rank * part, part * sizeof(int), barrier, (1 << blocks) - 1);
  wait(barrier, 0);
  for (int i = threadIdx.x; i < tile; i += blockDim.x)
    out[blockIdx.x * tile + i] = cells[i] + int(rank) * 1000;
  clusterSync();
}

/// Block 1 sends to blocks 0 and 3; the others keep what they had.
__global__ void someBlocks(const int *in, int *out) {
  __shared__ alignas(128) int cells[part];
  __shared__ alignas(8) unsigned long long storage;
  const unsigned barrier = sharedAddress(&storage), rank = rankInCluster();
  const bool receives = rank == 0 || rank == 3;
  cells[threadIdx.x] = -1;
  if (threadIdx.x == 0) {
    initialize(barrier);
    if (receives)
      expect(barrier, sizeof cells);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  clusterSync();
  if (rank == 1 && threadIdx.x == 0)
    multicast(cells, in, sizeof cells, barrier, 0b1001);
  if (receives)
    wait(barrier, 0);
  out[blockIdx.x * part + threadIdx.x] = cells[threadIdx.x];
  clusterSync();
}

template <class Kernel> void launch(Kernel kernel, int clusters, const int *in, int *out) {
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = blocks;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(clusters * blocks);
  config.blockDim = dim3(part);
  config.attrs = &cluster;
  config.numAttrs = 1;
  CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, in, out));
  CHECK_LAUNCH();
}

int main() {
  const int clusters = 3;
  std::vector<int> values(clusters * tile);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = int(i) * 7 % 1000;
  DeviceArray<int> in(values), all(clusters * blocks * tile), some(blocks * part);
  launch(everyPart, clusters, in, all);
  std::vector<int> got = all.host();
  for (int b = 0; b < clusters * blocks; ++b)
    for (int i = 0; i < tile; ++i)
      CHECK(got[b * tile + i] == values[b / blocks * tile + i] + b % blocks * 1000);
  launch(someBlocks, 1, in, some);
  got = some.host();
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < part; ++i)
      CHECK(got[b * part + i] == (b == 0 || b == 3 ? values[i] : -1));
  return pass();
}
