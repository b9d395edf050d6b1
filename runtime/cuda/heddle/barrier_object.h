// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::barrier in shared memory, on the hardware's mbarrier: threads (and asynchronous copies) arrive, and a thread with the phase's token
// waits for the phase to end.
#pragma once

#include "async_copy.h"
#include "atomic_object.h"

namespace cuda {

#define HEDDLE_MEMBER __device__ __forceinline__

template <thread_scope Scope, class Completion = void> class barrier;

/// A barrier of one block. Trivial to construct, so that __shared__ cuda::barrier<...> is allowed; init()
/// starts it.
template <class Completion> class barrier<thread_scope_block, Completion> {
  unsigned long long state;

public:
  using arrival_token = unsigned long long;

  HEDDLE_MEMBER unsigned int heddleAddress() const { return (unsigned int)__cvta_generic_to_shared(&state); }
  HEDDLE_MEMBER unsigned long long *heddleState() { return &state; }

  [[nodiscard]] HEDDLE_MEMBER arrival_token arrive(int count = 1) {
    arrival_token token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
                 : "=l"(token)
                 : "r"(heddleAddress()), "r"(count)
                 : "memory");
    return token;
  }
  HEDDLE_MEMBER bool heddleDone(arrival_token token) const {
    unsigned int done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(heddleAddress()), "l"(token)
                 : "memory");
    return done;
  }
  HEDDLE_MEMBER bool heddleParityDone(bool parity) const {
    unsigned int done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(heddleAddress()), "r"((unsigned int)parity)
                 : "memory");
    return done;
  }
  HEDDLE_MEMBER void wait(arrival_token &&token) const {
    while (!heddleDone(token)) {
    }
  }
  HEDDLE_MEMBER void wait_parity(bool parity) const {
    while (!heddleParityDone(parity)) {
    }
  }
  HEDDLE_MEMBER void arrive_and_wait() { wait(arrive()); }
  HEDDLE_MEMBER void arrive_and_drop() {
    asm volatile("{ .reg .b64 t; mbarrier.arrive_drop.shared.b64 t, [%0]; }" ::"r"(heddleAddress())
                 : "memory");
  }
  friend HEDDLE_MEMBER void init(barrier *at, int expected) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at->heddleAddress()), "r"(expected) : "memory");
  }
};

/// Each thread copies its share; the barrier's phase ends only when the copies have landed.
template <class Group, class Completion>
HEDDLE_MEMBER void memcpy_async(const Group &group, void *to, const void *from, size_t bytes,
                                barrier<thread_scope_block, Completion> &completes) {
  ::heddleCopyAsync(to, from, bytes, (unsigned int)group.thread_rank(), (unsigned int)group.num_threads());
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(completes.heddleAddress()) : "memory");
}
template <class Completion>
HEDDLE_MEMBER void memcpy_async(void *to, const void *from, size_t bytes,
                                barrier<thread_scope_block, Completion> &completes) {
  ::heddleCopyAsync(to, from, bytes, 0, 1);
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(completes.heddleAddress()) : "memory");
}

/// A size that is known to be a multiple of an alignment.
template <size_t Alignment> struct aligned_size_t {
  size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

namespace device {
template <class Completion>
HEDDLE_MEMBER unsigned long long *barrier_native_handle(barrier<thread_scope_block, Completion> &of) {
  return of.heddleState();
}
template <class Completion>
HEDDLE_MEMBER unsigned long long barrier_arrive_tx(barrier<thread_scope_block, Completion> &at, int count,
                                                   size_t bytes) {
  unsigned long long token;
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at.heddleAddress()),
               "r"((unsigned int)bytes)
               : "memory");
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;"
               : "=l"(token)
               : "r"(at.heddleAddress()), "r"(count)
               : "memory");
  return token;
}
} // namespace device

#undef HEDDLE_MEMBER
} // namespace cuda
