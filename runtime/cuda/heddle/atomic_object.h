// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::atomic and cuda::atomic_ref: the operations of std::atomic with a scope, on both sides.
#pragma once

#include "scoped_atomics.h"
#include "std_alias.h"
#include <atomic>

namespace cuda {

enum thread_scope {
  thread_scope_system = 0,
  thread_scope_device = 1,
  thread_scope_block = 2,
  thread_scope_thread = 10
};

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

namespace heddle {

/// On the host there is one scope.
constexpr __host__ __device__ heddleScope scopeOf(thread_scope scope) {
  return scope == thread_scope_system   ? heddleSystem
         : scope == thread_scope_device ? heddleDevice
         : scope == thread_scope_block  ? heddleBlock
                                        : heddleThread;
}

/// The operations; where the value lives is the derived class's affair.
template <class T, thread_scope Scope, class Self> struct AtomicOperations {
#define HEDDLE_MEMBER __host__ __device__ __attribute__((always_inline)) inline
  HEDDLE_MEMBER T load(memory_order order = memory_order_seq_cst) const {
#if defined(__CUDA_ARCH__)
    return heddle_load(address(), (int)order, scopeOf(Scope));
#else
    T value;
    __atomic_load(address(), &value, (int)order);
    return value;
#endif
  }
  HEDDLE_MEMBER void store(T value, memory_order order = memory_order_seq_cst) const {
#if defined(__CUDA_ARCH__)
    heddle_store(address(), &value, (int)order, scopeOf(Scope));
#else
    __atomic_store(address(), &value, (int)order);
#endif
  }
  HEDDLE_MEMBER T exchange(T value, memory_order order = memory_order_seq_cst) const {
#if defined(__CUDA_ARCH__)
    return heddle_exchange_n(address(), value, (int)order, scopeOf(Scope));
#else
    T old;
    __atomic_exchange(address(), &value, &old, (int)order);
    return old;
#endif
  }
  HEDDLE_MEMBER bool compare_exchange_strong(T &expected, T value, memory_order order,
                                             memory_order failure) const {
#if defined(__CUDA_ARCH__)
    return heddle_compare_exchange(address(), &expected, &value, (int)order, (int)failure, scopeOf(Scope));
#else
    return __atomic_compare_exchange(address(), &expected, &value, false, (int)order, (int)failure);
#endif
  }
  HEDDLE_MEMBER bool compare_exchange_strong(T &expected, T value,
                                             memory_order order = memory_order_seq_cst) const {
    // A failed exchange only reads, so it cannot release.
    memory_order failure = order == memory_order_acq_rel   ? memory_order_acquire
                           : order == memory_order_release ? memory_order_relaxed
                                                           : order;
    return compare_exchange_strong(expected, value, order, failure);
  }
  HEDDLE_MEMBER bool compare_exchange_weak(T &expected, T value,
                                           memory_order order = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, value, order);
  }
  HEDDLE_MEMBER bool compare_exchange_weak(T &expected, T value, memory_order order,
                                           memory_order failure) const {
    return compare_exchange_strong(expected, value, order, failure);
  }

#if defined(__CUDA_ARCH__)
#define HEDDLE_FETCH(name)                                                                                   \
  HEDDLE_MEMBER T name(T value, memory_order order = memory_order_seq_cst) const {                           \
    return heddle_##name(address(), value, (int)order, scopeOf(Scope));                                      \
  }
#else
#define HEDDLE_FETCH(name)                                                                                   \
  HEDDLE_MEMBER T name(T value, memory_order order = memory_order_seq_cst) const {                           \
    return __scoped_atomic_##name(address(), value, (int)order, __MEMORY_SCOPE_SYSTEM);                      \
  }
#endif
  HEDDLE_FETCH(fetch_add)
  HEDDLE_FETCH(fetch_sub)
  HEDDLE_FETCH(fetch_and)
  HEDDLE_FETCH(fetch_or)
  HEDDLE_FETCH(fetch_xor)
  HEDDLE_FETCH(fetch_min)
  HEDDLE_FETCH(fetch_max)
#undef HEDDLE_FETCH

  HEDDLE_MEMBER operator T() const { return load(); }
  HEDDLE_MEMBER T operator++() const { return fetch_add(T(1)) + T(1); }
  HEDDLE_MEMBER T operator++(int) const { return fetch_add(T(1)); }
  HEDDLE_MEMBER T operator--() const { return fetch_sub(T(1)) - T(1); }
  HEDDLE_MEMBER T operator--(int) const { return fetch_sub(T(1)); }
  HEDDLE_MEMBER T operator+=(T value) const { return fetch_add(value) + value; }
  HEDDLE_MEMBER T operator-=(T value) const { return fetch_sub(value) - value; }
  HEDDLE_MEMBER T operator|=(T value) const { return fetch_or(value) | value; }
  HEDDLE_MEMBER T operator&=(T value) const { return fetch_and(value) & value; }

  // Waiting for a change is a loop here: the scheduler lets the others go on.
  HEDDLE_MEMBER void wait(T old, memory_order order = memory_order_seq_cst) const {
    while (load(order) == old) {
    }
  }
  HEDDLE_MEMBER void notify_one() const {}
  HEDDLE_MEMBER void notify_all() const {}

private:
  HEDDLE_MEMBER T *address() const { return static_cast<const Self *>(this)->heddleAddress(); }
#undef HEDDLE_MEMBER
};

} // namespace heddle

template <class T, thread_scope Scope = thread_scope_system>
class atomic : public heddle::AtomicOperations<T, Scope, atomic<T, Scope>> {
  alignas(sizeof(T)) mutable T value;

public:
  atomic() = default; // trivial, so that it may be in shared memory
  __host__ __device__ constexpr atomic(T value) : value(value) {}
  atomic(const atomic &) = delete;
  __host__ __device__ T operator=(T next) {
    this->store(next);
    return next;
  }
  __host__ __device__ T *heddleAddress() const { return &value; }
};

template <class T, thread_scope Scope = thread_scope_system>
class atomic_ref : public heddle::AtomicOperations<T, Scope, atomic_ref<T, Scope>> {
  T *referred;

public:
  __host__ __device__ explicit atomic_ref(T &value) : referred(&value) {}
  __host__ __device__ T operator=(T next) const {
    this->store(next);
    return next;
  }
  __host__ __device__ T *heddleAddress() const { return referred; }
};

__host__ __device__ static inline void atomic_thread_fence(memory_order order,
                                                           thread_scope scope = thread_scope_system) {
#if defined(__CUDA_ARCH__)
  (void)order; // a full fence is at least what was asked for
  if (scope == thread_scope_block)
    __threadfence_block();
  else if (scope == thread_scope_device)
    __threadfence();
  else
    __threadfence_system();
#else
  (void)scope;
  ::std::atomic_thread_fence(order);
#endif
}

namespace std {
template <class T> using atomic = ::cuda::atomic<T, thread_scope_system>;
template <class T> using atomic_ref = ::cuda::atomic_ref<T, thread_scope_system>;
} // namespace std
} // namespace cuda
