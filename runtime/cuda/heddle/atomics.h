// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atomicAdd and similar functions for every type nvcc has, at device, block and system scope. Clang has a device
// function for each under an internal name (__iAtomicAdd, __uAtomicAdd_block, ...); here they get the names
// programs use. The forms for half and bfloat16 are in cuda_fp16.h and cuda_bf16.h.
#pragma once

#define HEDDLE_DEVICE static __device__ __forceinline__

// One row: the CUDA name, the type, and the internal name, for all three scopes.
#define HEDDLE_ATOMIC(name, type, internal)                                                                  \
  HEDDLE_DEVICE type name(type *at, type value) { return internal(at, value); }                              \
  HEDDLE_DEVICE type name##_block(type *at, type value) { return internal##_block(at, value); }              \
  HEDDLE_DEVICE type name##_system(type *at, type value) { return internal##_system(at, value); }

HEDDLE_ATOMIC(atomicAdd, int, __iAtomicAdd)
HEDDLE_ATOMIC(atomicAdd, unsigned int, __uAtomicAdd)
HEDDLE_ATOMIC(atomicAdd, unsigned long long, __ullAtomicAdd)
HEDDLE_ATOMIC(atomicAdd, float, __fAtomicAdd)
HEDDLE_ATOMIC(atomicAdd, double, __dAtomicAdd)
HEDDLE_ATOMIC(atomicExch, int, __iAtomicExch)
HEDDLE_ATOMIC(atomicExch, unsigned int, __uAtomicExch)
HEDDLE_ATOMIC(atomicExch, unsigned long long, __ullAtomicExch)
HEDDLE_ATOMIC(atomicExch, float, __fAtomicExch)
HEDDLE_ATOMIC(atomicMin, int, __iAtomicMin)
HEDDLE_ATOMIC(atomicMin, unsigned int, __uAtomicMin)
HEDDLE_ATOMIC(atomicMin, long long, __illAtomicMin)
HEDDLE_ATOMIC(atomicMin, unsigned long long, __ullAtomicMin)
HEDDLE_ATOMIC(atomicMax, int, __iAtomicMax)
HEDDLE_ATOMIC(atomicMax, unsigned int, __uAtomicMax)
HEDDLE_ATOMIC(atomicMax, long long, __illAtomicMax)
HEDDLE_ATOMIC(atomicMax, unsigned long long, __ullAtomicMax)
HEDDLE_ATOMIC(atomicInc, unsigned int, __uAtomicInc)
HEDDLE_ATOMIC(atomicDec, unsigned int, __uAtomicDec)
HEDDLE_ATOMIC(atomicAnd, int, __iAtomicAnd)
HEDDLE_ATOMIC(atomicAnd, unsigned int, __uAtomicAnd)
HEDDLE_ATOMIC(atomicAnd, long long, __llAtomicAnd)
HEDDLE_ATOMIC(atomicAnd, unsigned long long, __ullAtomicAnd)
HEDDLE_ATOMIC(atomicOr, int, __iAtomicOr)
HEDDLE_ATOMIC(atomicOr, unsigned int, __uAtomicOr)
HEDDLE_ATOMIC(atomicOr, long long, __llAtomicOr)
HEDDLE_ATOMIC(atomicOr, unsigned long long, __ullAtomicOr)
HEDDLE_ATOMIC(atomicXor, int, __iAtomicXor)
HEDDLE_ATOMIC(atomicXor, unsigned int, __uAtomicXor)
HEDDLE_ATOMIC(atomicXor, long long, __llAtomicXor)
HEDDLE_ATOMIC(atomicXor, unsigned long long, __ullAtomicXor)
#undef HEDDLE_ATOMIC

// There is no subtraction in PTX. Negating as unsigned keeps the smallest int defined.
#define HEDDLE_ATOMIC_SUB(type, scope)                                                                       \
  HEDDLE_DEVICE type atomicSub##scope(type *at, type value) {                                                \
    return atomicAdd##scope(at, (type)(0u - (unsigned int)value));                                           \
  }
HEDDLE_ATOMIC_SUB(int, )
HEDDLE_ATOMIC_SUB(int, _block)
HEDDLE_ATOMIC_SUB(int, _system)
HEDDLE_ATOMIC_SUB(unsigned int, )
HEDDLE_ATOMIC_SUB(unsigned int, _block)
HEDDLE_ATOMIC_SUB(unsigned int, _system)
#undef HEDDLE_ATOMIC_SUB

// Clang's internal function for the device scope is sequentially consistent; CUDA's is relaxed, and what it does not order
// must not be hidden. The system scope includes the device.
#define HEDDLE_ATOMIC_CAS(type, internal)                                                                    \
  HEDDLE_DEVICE type atomicCAS_block(type *at, type expected, type value) {                                  \
    return internal##_block(at, expected, value);                                                            \
  }                                                                                                          \
  HEDDLE_DEVICE type atomicCAS_system(type *at, type expected, type value) {                                 \
    return internal##_system(at, expected, value);                                                           \
  }
HEDDLE_ATOMIC_CAS(int, __iAtomicCAS)
HEDDLE_ATOMIC_CAS(unsigned int, __uAtomicCAS)
HEDDLE_ATOMIC_CAS(unsigned long long, __ullAtomicCAS)
HEDDLE_ATOMIC_CAS(unsigned short, __usAtomicCAS)
#undef HEDDLE_ATOMIC_CAS

#define HEDDLE_ATOMIC_CAS(type)                                                                              \
  HEDDLE_DEVICE type atomicCAS(type *at, type expected, type value) {                                        \
    __scoped_atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED,      \
                                       __MEMORY_SCOPE_DEVICE);                                               \
    return expected;                                                                                         \
  }
HEDDLE_ATOMIC_CAS(int)
HEDDLE_ATOMIC_CAS(unsigned int)
HEDDLE_ATOMIC_CAS(unsigned long long)
#undef HEDDLE_ATOMIC_CAS
HEDDLE_DEVICE unsigned short atomicCAS(unsigned short *at, unsigned short expected, unsigned short value) {
  return atomicCAS_system(at, expected, value); // Clang would emit a loop
}
#undef HEDDLE_DEVICE
