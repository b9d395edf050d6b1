// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All threads of a cooperative launch.
#pragma once

#include "thread_block.h"

namespace cooperative_groups {
namespace heddle {

/// Where a cooperative launch keeps its barrier: the launch puts the address of an 8-byte workspace
/// into the environment registers 1 (upper half) and 2. Its second word is the barrier. A plain launch leaves
/// them zero.
HEDDLE_CG unsigned int *gridBarrier() {
  unsigned int high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  unsigned long long workspace = (unsigned long long)high << 32 | low;
  return workspace ? (unsigned int *)workspace + 1 : nullptr;
}

/// The blocks' arrivals of one round add up to 0x80000000: block 0 adds what the others, with 1 each, leave
/// over. So a full round flips the top bit and nothing else, and the word needs no reset between rounds or
/// launches.
HEDDLE_CG unsigned int arriveAtGrid() {
  unsigned int before = 0;
  __syncthreads();
  if (rankInBlock() == 0) {
    unsigned int *barrier = gridBarrier();
    if (!barrier)
      __trap(); // grid.sync() in a launch that was not cooperative
    unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;
    bool first = blockIdx.x + blockIdx.y + blockIdx.z == 0;
    unsigned int arrival = first ? 0x80000000u - (blocks - 1) : 1u;
    asm volatile("atom.add.release.gpu.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(barrier), "r"(arrival)
                 : "memory");
  }
  return before;
}

HEDDLE_CG void waitForGrid(unsigned int before) {
  if (rankInBlock() == 0) {
    unsigned int now;
    do
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(gridBarrier()) : "memory");
    while (((before ^ now) & 0x80000000u) == 0);
  }
  __syncthreads();
}

inline __device__ void syncGrid() { waitForGrid(arriveAtGrid()); }

} // namespace heddle

class grid_group : public thread_group {
public:
  HEDDLE_CG_MEMBER grid_group() : thread_group(heddle::Kind::Grid, 0, thread_rank(), num_threads()) {}

  struct arrival_token {
    unsigned int before;
  };
  HEDDLE_CG_MEMBER bool is_valid() const { return heddle::gridBarrier() != nullptr; }
  HEDDLE_CG_MEMBER void sync() const { heddle::syncGrid(); }
  HEDDLE_CG_MEMBER arrival_token barrier_arrive() const { return arrival_token{heddle::arriveAtGrid()}; }
  HEDDLE_CG_MEMBER void barrier_wait(arrival_token &&token) const { heddle::waitForGrid(token.before); }

  static HEDDLE_CG_MEMBER unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static HEDDLE_CG_MEMBER unsigned long long block_rank() {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static HEDDLE_CG_MEMBER unsigned long long num_threads() { return num_blocks() * heddle::threadsOfBlock(); }
  static HEDDLE_CG_MEMBER unsigned long long size() { return num_threads(); }
  static HEDDLE_CG_MEMBER unsigned long long thread_rank() {
    return block_rank() * heddle::threadsOfBlock() + heddle::rankInBlock();
  }
  static HEDDLE_CG_MEMBER dim3 dim_blocks() { return gridDim; }
  static HEDDLE_CG_MEMBER dim3 group_dim() { return gridDim; }
  static HEDDLE_CG_MEMBER dim3 block_index() { return blockIdx; }
  static HEDDLE_CG_MEMBER dim3 dim_threads() {
    return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
  }
  static HEDDLE_CG_MEMBER dim3 thread_index() {
    return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z);
  }
};

HEDDLE_CG_MEMBER grid_group this_grid() { return grid_group(); }

class cluster_group : public thread_group {
public:
  HEDDLE_CG_MEMBER cluster_group() : thread_group(heddle::Kind::Cluster, 0, thread_rank(), num_threads()) {}

  struct arrival_token {};
  static HEDDLE_CG_MEMBER arrival_token barrier_arrive() {
    __cluster_barrier_arrive();
    return arrival_token();
  }
  static HEDDLE_CG_MEMBER void barrier_wait() { __cluster_barrier_wait(); }
  static HEDDLE_CG_MEMBER void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
  static HEDDLE_CG_MEMBER void sync() {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  static HEDDLE_CG_MEMBER unsigned int num_blocks() { return __clusterSizeInBlocks(); }
  static HEDDLE_CG_MEMBER unsigned int block_rank() { return __clusterRelativeBlockRank(); }
  static HEDDLE_CG_MEMBER dim3 dim_blocks() { return __clusterDim(); }
  static HEDDLE_CG_MEMBER dim3 block_index() { return __clusterRelativeBlockIdx(); }
  static HEDDLE_CG_MEMBER unsigned int num_threads() { return num_blocks() * heddle::threadsOfBlock(); }
  static HEDDLE_CG_MEMBER unsigned int size() { return num_threads(); }
  static HEDDLE_CG_MEMBER unsigned int thread_rank() {
    return block_rank() * heddle::threadsOfBlock() + heddle::rankInBlock();
  }
  template <class T> static HEDDLE_CG_MEMBER T *map_shared_rank(T *pointer, int rank) {
    return (T *)__cluster_map_shared_rank(pointer, rank);
  }
  static HEDDLE_CG_MEMBER unsigned int query_shared_rank(const void *pointer) {
    return __cluster_query_shared_rank(pointer);
  }
};

HEDDLE_CG_MEMBER cluster_group this_cluster() { return cluster_group(); }

} // namespace cooperative_groups
