// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The __nv_atomic_* functions, which nvcc has had built in since CUDA 12.8: atomics with a memory order and a
// scope.
#pragma once

enum heddleAtomicOrder {
  __NV_ATOMIC_RELAXED = __ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME = __ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE = __ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE = __ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL = __ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST = __ATOMIC_SEQ_CST,
};
enum heddleAtomicScope {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM,
};

#define HEDDLE_DEVICE static __device__ __forceinline__

// Clang wants the scope as a constant; where a program gives a constant, one call remains of these.
#define HEDDLE_IN_SCOPE(scope, call, ...)                                                                    \
  ((scope) == __NV_THREAD_SCOPE_THREAD   ? call(__VA_ARGS__, __MEMORY_SCOPE_SINGLE)                          \
   : (scope) == __NV_THREAD_SCOPE_BLOCK  ? call(__VA_ARGS__, __MEMORY_SCOPE_WRKGRP)                          \
   : (scope) <= __NV_THREAD_SCOPE_DEVICE ? call(__VA_ARGS__, __MEMORY_SCOPE_DEVICE)                          \
                                         : call(__VA_ARGS__, __MEMORY_SCOPE_SYSTEM))

// The second operand may be of another type, as in __nv_atomic_fetch_add(counter, 1, ...).
template <class T> struct HeddleIdentity {
  using type = T;
};
template <class T> using HeddleSame = typename HeddleIdentity<T>::type;

template <class T>
HEDDLE_DEVICE T __nv_atomic_load_n(const T *at, heddleAtomicOrder order,
                                   heddleAtomicScope scope = __NV_THREAD_SCOPE_SYSTEM) {
  return HEDDLE_IN_SCOPE(scope, __scoped_atomic_load_n, at, (int)order);
}
template <class T>
HEDDLE_DEVICE void __nv_atomic_store_n(T *at, HeddleSame<T> value, heddleAtomicOrder order,
                                       heddleAtomicScope scope = __NV_THREAD_SCOPE_SYSTEM) {
  HEDDLE_IN_SCOPE(scope, __scoped_atomic_store_n, at, value, (int)order);
}
template <class T>
HEDDLE_DEVICE bool __nv_atomic_compare_exchange_n(T *at, T *expected, HeddleSame<T> value, bool weak,
                                                  heddleAtomicOrder order, heddleAtomicOrder failure,
                                                  heddleAtomicScope scope = __NV_THREAD_SCOPE_SYSTEM) {
  (void)weak;
  return HEDDLE_IN_SCOPE(scope, __scoped_atomic_compare_exchange_n, at, expected, value, false, (int)order,
                         (int)failure);
}

#define HEDDLE_NV_FETCH(name)                                                                                \
  template <class T>                                                                                         \
  HEDDLE_DEVICE T __nv_atomic_##name(T *at, HeddleSame<T> value, heddleAtomicOrder order,                    \
                                     heddleAtomicScope scope = __NV_THREAD_SCOPE_SYSTEM) {                   \
    return HEDDLE_IN_SCOPE(scope, __scoped_atomic_##name, at, value, (int)order);                            \
  }
HEDDLE_NV_FETCH(exchange_n)
HEDDLE_NV_FETCH(fetch_add)
HEDDLE_NV_FETCH(fetch_sub)
HEDDLE_NV_FETCH(fetch_and)
HEDDLE_NV_FETCH(fetch_or)
HEDDLE_NV_FETCH(fetch_xor)
HEDDLE_NV_FETCH(fetch_min)
HEDDLE_NV_FETCH(fetch_max)
#undef HEDDLE_NV_FETCH
#undef HEDDLE_IN_SCOPE

HEDDLE_DEVICE void __nv_atomic_thread_fence(heddleAtomicOrder,
                                            heddleAtomicScope scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (scope == __NV_THREAD_SCOPE_BLOCK)
    __threadfence_block();
  else if (scope == __NV_THREAD_SCOPE_DEVICE || scope == __NV_THREAD_SCOPE_CLUSTER)
    __threadfence();
  else if (scope == __NV_THREAD_SCOPE_SYSTEM)
    __threadfence_system();
}

#undef HEDDLE_DEVICE
