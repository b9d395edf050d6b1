// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory a pointer points into, and pointers as the numbers that inline assembly wants.
#pragma once

#define HEDDLE_DEVICE static __device__ __forceinline__

HEDDLE_DEVICE __attribute__((const)) unsigned int __isGlobal(const void *pointer) {
  return __nvvm_isspacep_global(pointer);
}
HEDDLE_DEVICE __attribute__((const)) unsigned int __isShared(const void *pointer) {
  return __nvvm_isspacep_shared(pointer);
}
HEDDLE_DEVICE __attribute__((const)) unsigned int __isConstant(const void *pointer) {
  return __nvvm_isspacep_const(pointer);
}
HEDDLE_DEVICE __attribute__((const)) unsigned int __isLocal(const void *pointer) {
  return __nvvm_isspacep_local(pointer);
}

HEDDLE_DEVICE unsigned int __isGridConstant(const void *pointer) {
  // A __grid_constant__ parameter lives in parameter space, which a generic pointer reaches like constant
  // memory.
  unsigned int is;
  asm("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "l"(pointer));
  return is;
}

#define HEDDLE_CVTA(space, number)                                                                           \
  HEDDLE_DEVICE size_t __cvta_generic_to_##space(const void *pointer) {                                      \
    return (size_t)(void __attribute__((address_space(number))) *)pointer;                                   \
  }                                                                                                          \
  HEDDLE_DEVICE void *__cvta_##space##_to_generic(size_t address) {                                          \
    return (void *)(void __attribute__((address_space(number))) *)address;                                   \
  }
HEDDLE_CVTA(global, 1)
HEDDLE_CVTA(shared, 3)
HEDDLE_CVTA(constant, 4)
HEDDLE_CVTA(local, 5)
#undef HEDDLE_CVTA

#undef HEDDLE_DEVICE
