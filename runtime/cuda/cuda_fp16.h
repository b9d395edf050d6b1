// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// half: conversions and what is its own; arithmetic and functions are shared with bfloat16.
#pragma once
#define __CUDA_FP16_H__ // programs ask by this name whether it was read

#include "cuda_runtime.h"
#include "heddle/narrow_types.h"

HEDDLE_NARROW_TYPES(__half, __half2, _Float16)
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

#define NARROW __half
#define NARROW2 __half2
#define NARROW_NATIVE _Float16
#define NARROW_PTX "f16"
#include "heddle/narrow_float.inc"
#undef NARROW
#undef NARROW2
#undef NARROW_NATIVE
#undef NARROW_PTX

// Conversions. The ones with a rounding mode other than to nearest exist on the device only.
HEDDLE_BOTH __half __float2half(float a) { return __half(a); }
HEDDLE_BOTH __half __float2half_rn(float a) { return __half(a); }
HEDDLE_BOTH __half __double2half(double a) { return __half(a); }
HEDDLE_BOTH float __half2float(__half a) { return (float)a; }
HEDDLE_BOTH __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
HEDDLE_BOTH __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
HEDDLE_BOTH __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
HEDDLE_BOTH float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
HEDDLE_BOTH float __low2float(__half2 a) { return (float)a.x; }
HEDDLE_BOTH float __high2float(__half2 a) { return (float)a.y; }
HEDDLE_BOTH __half __low2half(__half2 a) { return a.x; }
HEDDLE_BOTH __half __high2half(__half2 a) { return a.y; }
HEDDLE_BOTH __half2 __half2half2(__half a) { return __half2(a, a); }
HEDDLE_BOTH __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
HEDDLE_BOTH __half2 make_half2(__half a, __half b) { return __half2(a, b); }
HEDDLE_BOTH __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
HEDDLE_BOTH __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
HEDDLE_BOTH __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
HEDDLE_BOTH __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
HEDDLE_BOTH __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
HEDDLE_BOTH short __half_as_short(__half a) { return (short)a.__x; }
HEDDLE_BOTH unsigned short __half_as_ushort(__half a) { return a.__x; }
HEDDLE_BOTH __half __short_as_half(short a) { return __half(__half_raw{(unsigned short)a}); }
HEDDLE_BOTH __half __ushort_as_half(unsigned short a) { return __half(__half_raw{a}); }

#define HEDDLE_HALF_ROUNDED(mode)                                                                            \
  HEDDLE_DEVICE __half __float2half_##mode(float a) {                                                        \
    __half b;                                                                                                \
    asm("cvt." #mode ".f16.f32 %0, %1;" : "=h"(b.__x) : "f"(a));                                             \
    return b;                                                                                                \
  }
// PTX narrows a float to half directly only to nearest and towards zero; the directed modes are found from
// those.
HEDDLE_HALF_ROUNDED(rz)
#undef HEDDLE_HALF_ROUNDED
HEDDLE_DEVICE __half heddleNextHalf(__half a, bool up) {
  if (__hisnan(a))
    return a;
  if ((a.__x & 0x7fff) == 0)
    return __ushort_as_half(up ? 0x0001 : 0x8001);
  bool negative = (a.__x & 0x8000) != 0;
  return __ushort_as_half((unsigned short)(negative == up ? a.__x - 1 : a.__x + 1));
}
HEDDLE_DEVICE __half __float2half_ru(float a) {
  __half nearest(a);
  return (float)nearest < a ? heddleNextHalf(nearest, true) : nearest;
}
HEDDLE_DEVICE __half __float2half_rd(float a) {
  __half nearest(a);
  return (float)nearest > a ? heddleNextHalf(nearest, false) : nearest;
}

// Integers, with the rounding mode in the name.
#define HEDDLE_HALF_INTEGER(name, type)                                                                      \
  HEDDLE_DEVICE type __half2##name##_rn(__half a) { return (type)rintf((float)a); }                          \
  HEDDLE_DEVICE type __half2##name##_rz(__half a) { return (type)truncf((float)a); }                         \
  HEDDLE_DEVICE type __half2##name##_ru(__half a) { return (type)ceilf((float)a); }                          \
  HEDDLE_DEVICE type __half2##name##_rd(__half a) { return (type)floorf((float)a); }                         \
  HEDDLE_BOTH __half __##name##2half_rn(type a) { return __half(a); }
HEDDLE_HALF_INTEGER(int, int)
HEDDLE_HALF_INTEGER(uint, unsigned int)
HEDDLE_HALF_INTEGER(short, short)
HEDDLE_HALF_INTEGER(ushort, unsigned short)
HEDDLE_HALF_INTEGER(ll, long long)
HEDDLE_HALF_INTEGER(ull, unsigned long long)
#undef HEDDLE_HALF_INTEGER

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
