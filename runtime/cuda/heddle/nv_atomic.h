// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The __nv_atomic_* functions, which nvcc has had built in since CUDA 12.8: atomics with a memory order and a
// scope.
#pragma once

#include "scoped_atomics.h"

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

HEDDLE_DEVICE heddleScope heddleScopeOf(heddleAtomicScope scope) {
  return scope == __NV_THREAD_SCOPE_THREAD   ? heddleThread
         : scope == __NV_THREAD_SCOPE_BLOCK  ? heddleBlock
         : scope <= __NV_THREAD_SCOPE_DEVICE ? heddleDevice
                                             : heddleSystem;
}

// The second operand may be of another type, as in __nv_atomic_fetch_add(counter, 1, ...).
template <class T> struct HeddleIdentity {
  using type = T;
};
template <class T> using HeddleSame = typename HeddleIdentity<T>::type;

// Calls of the device side alone, as all of these are.
#if defined(__CUDA_ARCH__)
#define HEDDLE_DO(...) __VA_ARGS__
#else
#define HEDDLE_DO(...) __builtin_trap()
#endif

template <class T>
HEDDLE_DEVICE T __nv_atomic_load_n(const T *at, heddleAtomicOrder order,
                                   heddleAtomicScope scope = __NV_THREAD_SCOPE_SYSTEM) {
  HEDDLE_DO(return heddle_load(at, (int)order, heddleScopeOf(scope)));
}
template <class T>
HEDDLE_DEVICE void __nv_atomic_store_n(T *at, HeddleSame<T> value, heddleAtomicOrder order,
                                       heddleAtomicScope scope = __NV_THREAD_SCOPE_SYSTEM) {
  HEDDLE_DO(heddle_store(at, &value, (int)order, heddleScopeOf(scope)));
}
template <class T>
HEDDLE_DEVICE bool __nv_atomic_compare_exchange_n(T *at, T *expected, HeddleSame<T> value, bool weak,
                                                  heddleAtomicOrder order, heddleAtomicOrder failure,
                                                  heddleAtomicScope scope = __NV_THREAD_SCOPE_SYSTEM) {
  (void)weak;
  HEDDLE_DO(
      return heddle_compare_exchange(at, expected, &value, (int)order, (int)failure, heddleScopeOf(scope)));
}

#define HEDDLE_NV_FETCH(name)                                                                                \
  template <class T>                                                                                         \
  HEDDLE_DEVICE T __nv_atomic_##name(T *at, HeddleSame<T> value, heddleAtomicOrder order,                    \
                                     heddleAtomicScope scope = __NV_THREAD_SCOPE_SYSTEM) {                   \
    HEDDLE_DO(return heddle_##name(at, value, (int)order, heddleScopeOf(scope)));                            \
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
#undef HEDDLE_DO

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
