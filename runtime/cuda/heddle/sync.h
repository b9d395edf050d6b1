// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sleeping and the wall clock. __syncthreads, the fences, clock() and __prof_trigger are Clang's.
#pragma once

#define HEDDLE_DEVICE static __device__ __forceinline__

HEDDLE_DEVICE void __nanosleep(unsigned int nanoseconds) { __nvvm_nanosleep(nanoseconds); }
HEDDLE_DEVICE unsigned long long __globaltimer_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

#undef HEDDLE_DEVICE
