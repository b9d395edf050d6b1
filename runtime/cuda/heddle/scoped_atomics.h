// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cuda::atomic and the __nv_atomic_* functions need of the device. Clang's atomics for NVPTX have no scope but the
// system's, and those that read, change and write have no order: fences around relaxed operations state the order, and
// operations of block scope are the CUDA functions and instructions of that scope.
#pragma once

#define HEDDLE_DEVICE static __device__ __forceinline__

enum heddleScope { heddleThread, heddleBlock, heddleDevice, heddleSystem };

HEDDLE_DEVICE void heddleFence(heddleScope scope) {
  if (scope == heddleBlock)
    __threadfence_block();
  else if (scope == heddleDevice)
    __threadfence();
  else if (scope == heddleSystem)
    __threadfence_system();
}
HEDDLE_DEVICE void heddleFenceBefore(int order, heddleScope scope) {
  if (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST)
    heddleFence(scope);
}
HEDDLE_DEVICE void heddleFenceAfter(int order, heddleScope scope) {
  if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE)
    heddleFence(scope);
}

#if defined(__CUDA_ARCH__)
template <class T> HEDDLE_DEVICE T heddleRelaxedExchange(T *at, T value) {
  T old;
  __scoped_atomic_exchange(at, &value, &old, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
  return old;
}
// In block scope where CUDA has a function for the type, which the last parameter prefers.
#define HEDDLE_UPDATE(name, relaxed, inBlock)                                                                \
  template <class T>                                                                                         \
  HEDDLE_DEVICE auto heddle_block_##name(T *at, T value, int) -> decltype(inBlock(at, value)) {              \
    return inBlock(at, value);                                                                               \
  }                                                                                                          \
  template <class T> HEDDLE_DEVICE T heddle_block_##name(T *at, T value, long) { return relaxed; }           \
  template <class T> HEDDLE_DEVICE T heddle_##name(T *at, T value, int order, heddleScope scope) {           \
    heddleFenceBefore(order, scope);                                                                         \
    const T old = scope == heddleBlock ? heddle_block_##name(at, value, 0) : relaxed;                        \
    heddleFenceAfter(order, scope);                                                                          \
    return old;                                                                                              \
  }
#define HEDDLE_FETCH(name, inBlock)                                                                          \
  HEDDLE_UPDATE(name, __scoped_atomic_##name(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM), inBlock)
HEDDLE_UPDATE(exchange_n, heddleRelaxedExchange(at, value), atomicExch_block)
HEDDLE_FETCH(fetch_add, atomicAdd_block)
HEDDLE_FETCH(fetch_sub, atomicSub_block)
HEDDLE_FETCH(fetch_and, atomicAnd_block)
HEDDLE_FETCH(fetch_or, atomicOr_block)
HEDDLE_FETCH(fetch_xor, atomicXor_block)
HEDDLE_FETCH(fetch_min, atomicMin_block)
HEDDLE_FETCH(fetch_max, atomicMax_block)
#undef HEDDLE_FETCH
#undef HEDDLE_UPDATE

template <class T>
HEDDLE_DEVICE auto heddleExchangeIf(T *at, T *expected, T *value, int)
    -> decltype(atomicCAS_block(at, *expected, *value), bool()) {
  const T old = atomicCAS_block(at, *expected, *value);
  const bool done = old == *expected;
  *expected = old;
  return done;
}
template <class T> HEDDLE_DEVICE bool heddleExchangeIf(T *at, T *expected, T *value, long) {
  return __scoped_atomic_compare_exchange(at, expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                          __MEMORY_SCOPE_SYSTEM);
}
template <class T>
HEDDLE_DEVICE bool heddle_compare_exchange(T *at, T *expected, T *value, int order, int failure,
                                           heddleScope scope) {
  heddleFenceBefore(order, scope);
  const bool done = scope == heddleBlock ? heddleExchangeIf(at, expected, value, 0)
                                         : heddleExchangeIf(at, expected, value, 0L);
  heddleFenceAfter(done ? order : failure, scope);
  return done;
}

template <class T> HEDDLE_DEVICE T heddle_load(const T *at, int order, heddleScope scope) {
  T value;
#if __CUDA_ARCH__ >= 700
  if (scope == heddleBlock && (sizeof(T) == 4 || sizeof(T) == 8)) {
    if (order == __ATOMIC_SEQ_CST)
      heddleFence(scope);
    if (sizeof(T) == 4) {
      unsigned bits;
      asm volatile("ld.relaxed.cta.b32 %0, [%1];" : "=r"(bits) : "l"(at) : "memory");
      __builtin_memcpy(&value, &bits, sizeof(T) == 4 ? 4 : 0);
    } else {
      unsigned long long bits;
      asm volatile("ld.relaxed.cta.b64 %0, [%1];" : "=l"(bits) : "l"(at) : "memory");
      __builtin_memcpy(&value, &bits, sizeof(T) == 8 ? 8 : 0);
    }
    heddleFenceAfter(order, scope);
    return value;
  }
#endif
  // Before sm_70 Clang has relaxed loads and stores only.
#if __CUDA_ARCH__ >= 700
  __scoped_atomic_load(at, &value, order, __MEMORY_SCOPE_SYSTEM);
#else
  if (order == __ATOMIC_SEQ_CST)
    heddleFence(scope);
  __scoped_atomic_load(at, &value, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
  heddleFenceAfter(order, scope);
#endif
  return value;
}
template <class T> HEDDLE_DEVICE void heddle_store(T *at, T *value, int order, heddleScope scope) {
#if __CUDA_ARCH__ >= 700
  if (scope == heddleBlock && (sizeof(T) == 4 || sizeof(T) == 8)) {
    heddleFenceBefore(order, scope);
    if (sizeof(T) == 4) {
      unsigned bits = 0;
      __builtin_memcpy(&bits, value, sizeof(T) == 4 ? 4 : 0);
      asm volatile("st.relaxed.cta.b32 [%0], %1;" ::"l"(at), "r"(bits) : "memory");
    } else {
      unsigned long long bits = 0;
      __builtin_memcpy(&bits, value, sizeof(T) == 8 ? 8 : 0);
      asm volatile("st.relaxed.cta.b64 [%0], %1;" ::"l"(at), "l"(bits) : "memory");
    }
    return;
  }
#endif
#if __CUDA_ARCH__ >= 700
  __scoped_atomic_store(at, value, order, __MEMORY_SCOPE_SYSTEM);
#else
  heddleFenceBefore(order, scope);
  __scoped_atomic_store(at, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
#endif
}
#endif // __CUDA_ARCH__

#undef HEDDLE_DEVICE
