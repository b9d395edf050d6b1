// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bfloat16: a float's upper half. Arithmetic and functions are shared with half.
#pragma once
#define __CUDA_BF16_H__ // programs ask by this name whether it was read

#include "cuda_runtime.h"
#include "heddle/narrow_types.h"

HEDDLE_NARROW_TYPES(__nv_bfloat16, __nv_bfloat162, __bf16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define NARROW __nv_bfloat16
#define NARROW2 __nv_bfloat162
#define NARROW_NATIVE __bf16
#define NARROW_PTX "bf16"
#include "heddle/narrow_float.inc"
#undef NARROW
#undef NARROW2
#undef NARROW_NATIVE
#undef NARROW_PTX

HEDDLE_BOTH __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
HEDDLE_BOTH __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
HEDDLE_BOTH __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
HEDDLE_BOTH float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
HEDDLE_BOTH __nv_bfloat162 __float2bfloat162_rn(float a) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a));
}
HEDDLE_BOTH __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
HEDDLE_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
HEDDLE_BOTH float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
HEDDLE_BOTH float __low2float(__nv_bfloat162 a) { return (float)a.x; }
HEDDLE_BOTH float __high2float(__nv_bfloat162 a) { return (float)a.y; }
HEDDLE_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
HEDDLE_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
HEDDLE_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
HEDDLE_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
HEDDLE_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
HEDDLE_BOTH short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
HEDDLE_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
HEDDLE_BOTH __nv_bfloat16 __short_as_bfloat16(short a) {
  return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)a});
}
HEDDLE_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) {
  return __nv_bfloat16(__nv_bfloat16_raw{a});
}
HEDDLE_BOTH __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16(a); }
HEDDLE_DEVICE int __bfloat162int_rn(__nv_bfloat16 a) { return __float2int_rn((float)a); }
HEDDLE_DEVICE int __bfloat162int_rz(__nv_bfloat16 a) { return __float2int_rz((float)a); }
