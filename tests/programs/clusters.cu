// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clusters of blocks: who is who, the barrier of the cluster, and shared memory of other blocks by generic
// and by shared addresses, read, written, and added to.
// with the toolkit: nvcc only (Clang sees no cluster groups in NVIDIA's header)
#include "Check.h"

#include <cooperative_groups.h>
#include <utility>

namespace cg = cooperative_groups;

/// Each block fills its shared memory; after the barrier each reads its right neighbour's, backwards.
__global__ void neighbours(int *out) {
  __shared__ int mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
  cluster.sync();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  int *theirs = cluster.map_shared_rank(mine, next);
  bool right =
      cluster.query_shared_rank(theirs) == next && cluster.query_shared_rank(mine) == cluster.block_rank();
  out[blockIdx.x * 64 + threadIdx.x] = right ? theirs[63 - threadIdx.x] : -1;
  cluster.sync(); // no block leaves while others read
}

/// A histogram whose bins are spread over the cluster; many rounds, so that barriers must not lose count.
__global__ void spreadHistogram(const int *values, int n, int *bins, int binsPerBlock) {
  extern __shared__ int mine[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int round = 0; round < 3; ++round) {
    for (int i = threadIdx.x; i < binsPerBlock; i += blockDim.x)
      mine[i] = 0;
    cluster.sync();
    for (int i = cluster.thread_rank(); i < n; i += cluster.num_threads()) {
      int bin = (values[i] + round) % (binsPerBlock * cluster.num_blocks());
      atomicAdd(cluster.map_shared_rank(mine, bin / binsPerBlock) + bin % binsPerBlock, 1);
    }
    cluster.sync();
    for (int i = threadIdx.x; i < binsPerBlock; i += blockDim.x)
      atomicAdd(bins + cluster.block_rank() * binsPerBlock + i, mine[i]);
  }
}

/// Positions in two dimensions, and arrive apart from wait, with work between.
__global__ void places(int4 *out, int *sums) {
  __shared__ int arrived;
  cg::cluster_group cluster = cg::this_cluster();
  dim3 size = cluster.dim_blocks(), at = cluster.block_index();
  int block = blockIdx.y * gridDim.x + blockIdx.x;
  if (threadIdx.x == 0)
    arrived = block + 1;
  cg::cluster_group::arrival_token token = cluster.barrier_arrive();
  if (threadIdx.x == 0)
    out[block] = make_int4(at.x, at.y, size.x * 10 + size.y, cluster.block_rank());
  cluster.barrier_wait(std::move(token));
  if (threadIdx.x < cluster.num_blocks())
    atomicAdd(sums + block, *cluster.map_shared_rank(&arrived, threadIdx.x));
  cluster.sync();
}

/// The same by shared addresses, as inline PTX has it. A thread that exits has arrived for good, but only once no block needs its memory any
/// more.
__global__ void byAddress(unsigned *out) {
  __shared__ unsigned cell[32];
  cell[threadIdx.x] = 0;
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  unsigned rank, own = unsigned(__cvta_generic_to_shared(&cell[threadIdx.x])), theirs;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(own), "r"(rank ^ 1));
  asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(theirs), "r"(blockIdx.x * 100 + threadIdx.x)
               : "memory");
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
  if (rank == 1)
    return;
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
  out[blockIdx.x / 2 * 32 + threadIdx.x] = cell[threadIdx.x];
}

template <class... Arguments, class... Given>
void launch(dim3 grid, dim3 block, dim3 cluster, size_t shared, void (*kernel)(Arguments...),
            Given... given) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = shared;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  config.attrs = &attribute, config.numAttrs = 1;
  CHECK_CUDA(cudaLaunchKernelEx(&config, kernel, given...));
  CHECK_LAUNCH();
}

static void checkNeighbours() {
  DeviceArray<int> out(8 * 64);
  launch(8, 64, 4, 0, neighbours, (int *)out);
  std::vector<int> got = out.host();
  for (int block = 0; block < 8; ++block)
    for (int t = 0; t < 64; ++t)
      CHECK(got[block * 64 + t] == (block / 4 * 4 + (block + 1) % 4) * 1000 + 63 - t);
}

static void checkHistogram() {
  const int n = 3000, binsPerBlock = 24;
  for (int blocks : {1, 2, 8}) {
    std::vector<int> values(n), expected(binsPerBlock * blocks);
    for (int i = 0; i < n; ++i)
      values[i] = i * i % 7919;
    for (int round = 0; round < 3; ++round)
      for (int value : values)
        ++expected[(value + round) % expected.size()];
    DeviceArray<int> in(values), bins(expected.size());
    launch(blocks, 96, blocks, binsPerBlock * sizeof(int), spreadHistogram, (const int *)in, n, (int *)bins,
           binsPerBlock);
    CHECK(bins.host() == expected);
  }
}

static void checkPlaces() {
  DeviceArray<int4> out(6 * 4);
  DeviceArray<int> sums(6 * 4);
  launch(dim3(6, 4), 32, dim3(3, 2), 0, places, (int4 *)out, (int *)sums);
  std::vector<int4> got = out.host();
  std::vector<int> sum = sums.host();
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x) {
      int4 at = got[y * 6 + x];
      CHECK(at.x == x % 3 && at.y == y % 2 && at.z == 32 && at.w == y % 2 * 3 + x % 3);
      int expected = 0;
      for (int by = y / 2 * 2; by < y / 2 * 2 + 2; ++by)
        for (int bx = x / 3 * 3; bx < x / 3 * 3 + 3; ++bx)
          expected += by * 6 + bx + 1;
      CHECK(sum[y * 6 + x] == expected);
    }
}

static void checkAddresses() {
  DeviceArray<unsigned> out(3 * 32);
  launch(6, 32, 2, 0, byAddress, (unsigned *)out);
  std::vector<unsigned> got = out.host();
  for (int i = 0; i < 3 * 32; ++i)
    CHECK(got[i] == unsigned((i / 32 * 2 + 1) * 100 + i % 32));
}

int main() {
  checkNeighbours();
  checkHistogram();
  checkPlaces();
  checkAddresses();
  return pass();
}
