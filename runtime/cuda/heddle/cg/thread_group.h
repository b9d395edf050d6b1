// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any group of threads whose kind is known only at run time; the typed groups below all are one.
#pragma once

#include "../../cuda_runtime.h"

#define HEDDLE_CG static __device__ __forceinline__
#define HEDDLE_CG_MEMBER __device__ __forceinline__

namespace cooperative_groups {
namespace heddle {

HEDDLE_CG unsigned int laneId() { return __nvvm_read_ptx_sreg_laneid(); }
HEDDLE_CG unsigned int lanesBelow() { return __nvvm_read_ptx_sreg_lanemask_lt(); }

HEDDLE_CG unsigned int rankInBlock() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
HEDDLE_CG unsigned int threadsOfBlock() { return blockDim.x * blockDim.y * blockDim.z; }

enum class Kind : unsigned int { Block, Lanes, Warps, Grid, Cluster };

void __device__ syncGrid();

/// A barrier over some whole warps of a block. PTX has 16 of them; 0 is __syncthreads', so tile r takes r
/// + 1.
HEDDLE_CG void syncWarps(unsigned int tileRank, unsigned int threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"((tileRank + 1) & 15u), "r"(threads) : "memory");
}

} // namespace heddle

class thread_group {
protected:
  heddle::Kind kind;
  unsigned int lanes = 0;    // Kind::Lanes: which lanes of this warp
  unsigned int rank = 0;     // this thread's rank in the group
  unsigned int count = 0;    // how many threads the group has
  unsigned int tileRank = 0; // Kind::Lanes and Kind::Warps: which of its siblings it is
  unsigned int tiles = 1;    // and how many siblings there are

  HEDDLE_CG_MEMBER thread_group(heddle::Kind kind, unsigned int lanes, unsigned int rank, unsigned int count,
                                unsigned int tileRank = 0, unsigned int tiles = 1)
      : kind(kind), lanes(lanes), rank(rank), count(count), tileRank(tileRank), tiles(tiles) {}

  friend HEDDLE_CG_MEMBER thread_group tiled_partition(const thread_group &parent, unsigned int size);

public:
  HEDDLE_CG_MEMBER unsigned long long size() const { return count; }
  HEDDLE_CG_MEMBER unsigned long long num_threads() const { return count; }
  HEDDLE_CG_MEMBER unsigned long long thread_rank() const { return rank; }
  HEDDLE_CG_MEMBER bool is_valid() const { return true; }
  HEDDLE_CG_MEMBER void sync() const {
    switch (kind) {
    case heddle::Kind::Block: __syncthreads(); break;
    case heddle::Kind::Lanes: __syncwarp(lanes); break;
    case heddle::Kind::Warps: heddle::syncWarps(tileRank, count); break;
    case heddle::Kind::Grid: heddle::syncGrid(); break;
    case heddle::Kind::Cluster:
      __cluster_barrier_arrive();
      __cluster_barrier_wait();
      break;
    }
  }
};

} // namespace cooperative_groups
