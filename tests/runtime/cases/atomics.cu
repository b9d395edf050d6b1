// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// with the toolkit: nvcc only (Clang has no __nv_atomic_*)
//
// Every atomic operation, on every type it has, at every scope.
#include <cuda_runtime.h>

#define AT_ALL_SCOPES(call, ...)                                                                             \
  call(__VA_ARGS__);                                                                                         \
  call##_block(__VA_ARGS__);                                                                                 \
  call##_system(__VA_ARGS__)

template <class T> __device__ void bits(T *at, T value) {
  AT_ALL_SCOPES(atomicAnd, at, value);
  AT_ALL_SCOPES(atomicOr, at, value);
  AT_ALL_SCOPES(atomicXor, at, value);
  AT_ALL_SCOPES(atomicMin, at, value);
  AT_ALL_SCOPES(atomicMax, at, value);
}
template <class T> __device__ void words(T *at, T value) {
  AT_ALL_SCOPES(atomicAdd, at, value);
  AT_ALL_SCOPES(atomicExch, at, value);
}

__global__ void atomics(int *i, unsigned *u, long long *ll, unsigned long long *ull, float *f, double *d,
                        unsigned short *us) {
  __shared__ int shared;
  atomicAdd(&shared, 1);
  bits(i, 1);
  bits(u, 1u);
  bits(ull, 1ull);
  AT_ALL_SCOPES(atomicMin, ll, 1ll);
  AT_ALL_SCOPES(atomicMax, ll, 1ll);
  words(i, 1);
  words(u, 1u);
  words(ull, 1ull);
  words(f, 1.0f);
  AT_ALL_SCOPES(atomicAdd, d, 1.0);
  AT_ALL_SCOPES(atomicSub, i, 1);
  AT_ALL_SCOPES(atomicSub, u, 1u);
  AT_ALL_SCOPES(atomicInc, u, 9u);
  AT_ALL_SCOPES(atomicDec, u, 9u);
  AT_ALL_SCOPES(atomicCAS, i, 0, 1);
  AT_ALL_SCOPES(atomicCAS, u, 0u, 1u);
  AT_ALL_SCOPES(atomicCAS, ull, 0ull, 1ull);
  unsigned short seen = atomicCAS(us, (unsigned short)0, (unsigned short)1);
  *i += seen;

  // The forms with a memory order, built into nvcc since CUDA 12.8.
  int expected = __nv_atomic_load_n(i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_compare_exchange_n(i, &expected, 7, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_ACQUIRE,
                                 __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_fetch_add(f, 1.0f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_store_n(u, 1u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_SYSTEM);
}
