// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::pipeline for threads that both fetch and use: stages are groups of cp.async, and a block-wide
// pipeline adds the block's barrier where data changes hands. Pipelines that split a block into producers and
// consumers are not here.
#pragma once

#include "../cuda_pipeline_primitives.h"
#include "barrier_object.h"

namespace cuda {

#define HEDDLE_MEMBER __device__ __forceinline__

template <thread_scope Scope, unsigned int Stages> struct pipeline_shared_state {};

template <thread_scope Scope> class pipeline {
  unsigned int underWay = 0; // committed stages that no thread has waited for

public:
  HEDDLE_MEMBER void producer_acquire() {}
  HEDDLE_MEMBER void producer_commit() {
    __pipeline_commit();
    ++underWay;
  }
  HEDDLE_MEMBER void consumer_wait() {
    __pipeline_wait_prior(underWay > 0 ? underWay - 1 : 0);
    if (underWay > 0)
      --underWay;
    if constexpr (Scope == thread_scope_block)
      __syncthreads();
  }
  // What was read may now be overwritten by the next copy, once all have read it.
  HEDDLE_MEMBER void consumer_release() {
    if constexpr (Scope == thread_scope_block)
      __syncthreads();
  }
  HEDDLE_MEMBER void quit() {}
};

HEDDLE_MEMBER pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <class Group, thread_scope Scope, unsigned int Stages>
HEDDLE_MEMBER pipeline<Scope> make_pipeline(const Group &, pipeline_shared_state<Scope, Stages> *) {
  return {};
}

template <unsigned int Newest, thread_scope Scope>
HEDDLE_MEMBER void pipeline_consumer_wait_prior(pipeline<Scope> &) {
  __pipeline_wait_prior(Newest);
  if constexpr (Scope == thread_scope_block)
    __syncthreads();
}

template <thread_scope Scope>
HEDDLE_MEMBER void memcpy_async(void *to, const void *from, size_t bytes, pipeline<Scope> &) {
  ::heddleCopyAsync(to, from, bytes, 0, 1);
}
template <class Group, thread_scope Scope>
HEDDLE_MEMBER void memcpy_async(const Group &group, void *to, const void *from, size_t bytes,
                                pipeline<Scope> &) {
  ::heddleCopyAsync(to, from, bytes, (unsigned int)group.thread_rank(), (unsigned int)group.num_threads());
}

#undef HEDDLE_MEMBER
} // namespace cuda
