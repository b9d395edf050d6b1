// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "thread_group.h"

namespace cooperative_groups {

class thread_block : public thread_group {
public:
  HEDDLE_CG_MEMBER thread_block()
      : thread_group(heddle::Kind::Block, 0, heddle::rankInBlock(), heddle::threadsOfBlock()) {}

  struct arrival_token {};
  static HEDDLE_CG_MEMBER void sync() { __syncthreads(); }
  static HEDDLE_CG_MEMBER arrival_token barrier_arrive() { return arrival_token(); }
  // Arriving without waiting is the barrier's business alone: a late arrival cannot be distinguished from a long
  // wait.
  static HEDDLE_CG_MEMBER void barrier_wait(arrival_token &&) { __syncthreads(); }

  static HEDDLE_CG_MEMBER unsigned int size() { return heddle::threadsOfBlock(); }
  static HEDDLE_CG_MEMBER unsigned int num_threads() { return heddle::threadsOfBlock(); }
  static HEDDLE_CG_MEMBER unsigned int thread_rank() { return heddle::rankInBlock(); }
  static HEDDLE_CG_MEMBER dim3 thread_index() { return threadIdx; }
  static HEDDLE_CG_MEMBER dim3 group_index() { return blockIdx; }
  static HEDDLE_CG_MEMBER dim3 group_dim() { return blockDim; }
  static HEDDLE_CG_MEMBER dim3 dim_threads() { return blockDim; }
};

HEDDLE_CG_MEMBER thread_block this_thread_block() { return thread_block(); }

/// Tiles of more than a warp need memory in NVIDIA's implementation. Here they have named barriers, and this
/// is empty.
template <unsigned int MaxBlockSize = 1024> struct block_tile_memory {};
template <unsigned int MaxBlockSize>
HEDDLE_CG_MEMBER thread_block this_thread_block(block_tile_memory<MaxBlockSize> &) {
  return thread_block();
}

} // namespace cooperative_groups
