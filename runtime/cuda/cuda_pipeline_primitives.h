// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C face of asynchronous copies.
#pragma once

#include "heddle/async_copy.h"

static __device__ __forceinline__ void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                                               size_t zeroFill = 0) {
  // The size is a constant at every call, so only one of these remains.
  if (bytes == 16)
    heddleCopyPieceAsync<16>(to, from, (unsigned int)zeroFill);
  else if (bytes == 8)
    heddleCopyPieceAsync<8>(to, from, (unsigned int)zeroFill);
  else if (bytes == 4)
    heddleCopyPieceAsync<4>(to, from, (unsigned int)zeroFill);
  else
    __trap();
}
static __device__ __forceinline__ void __pipeline_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most the `newest` last groups are still under way. Counts beyond seven wait a little longer
/// than they must: the number is part of the instruction.
static __device__ __forceinline__ void __pipeline_wait_prior(size_t newest) {
  switch (newest) {
  case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
  case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
  case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
  case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
  case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
  case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
  case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
  default: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
  }
}
static __device__ __forceinline__ void __pipeline_arrive_on(unsigned long long *barrier) {
  asm volatile(
      "cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"((unsigned int)__cvta_generic_to_shared(barrier))
      : "memory");
}
