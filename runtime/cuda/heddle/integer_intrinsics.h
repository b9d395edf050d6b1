// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer intrinsics that Clang leaves to NVIDIA's headers: products of narrow numbers in a word, and names
// from before the leading underscores.
#pragma once

#define HEDDLE_DEVICE static __device__ __forceinline__

// dp4a and dp2a: four products of bytes, or two of a 16-bit by an 8-bit number, added up. Each operand is
// signed or unsigned as its type says; char4 and similar types are the same word seen as a vector.
#define HEDDLE_DOT(name, instruction, result, a_t, b_t)                                                      \
  HEDDLE_DEVICE result name(a_t a, b_t b, result c) {                                                        \
    result d;                                                                                                \
    asm(instruction " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                                  \
    return d;                                                                                                \
  }
HEDDLE_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
HEDDLE_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
HEDDLE_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
HEDDLE_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
HEDDLE_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
HEDDLE_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
#undef HEDDLE_DOT

#define HEDDLE_DOT_VECTOR(name, result, a_t, b_t)                                                            \
  HEDDLE_DEVICE result name(a_t a, b_t b, result c) {                                                        \
    return name(__builtin_bit_cast(result, a), __builtin_bit_cast(result, b), c);                            \
  }
HEDDLE_DOT_VECTOR(__dp4a, int, char4, char4)
HEDDLE_DOT_VECTOR(__dp4a, unsigned int, uchar4, uchar4)
HEDDLE_DOT_VECTOR(__dp2a_lo, int, short2, char4)
HEDDLE_DOT_VECTOR(__dp2a_lo, unsigned int, ushort2, uchar4)
HEDDLE_DOT_VECTOR(__dp2a_hi, int, short2, char4)
HEDDLE_DOT_VECTOR(__dp2a_hi, unsigned int, ushort2, uchar4)
#undef HEDDLE_DOT_VECTOR

HEDDLE_DEVICE int mulhi(int a, int b) { return __mulhi(a, b); }
HEDDLE_DEVICE unsigned int mulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
HEDDLE_DEVICE long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
HEDDLE_DEVICE unsigned long long mul64hi(unsigned long long a, unsigned long long b) {
  return __umul64hi(a, b);
}
HEDDLE_DEVICE int mul24(int a, int b) { return __mul24(a, b); }
HEDDLE_DEVICE unsigned int umul24(unsigned int a, unsigned int b) { return __umul24(a, b); }

HEDDLE_DEVICE int float_as_int(float a) { return __float_as_int(a); }
HEDDLE_DEVICE float int_as_float(int a) { return __int_as_float(a); }
HEDDLE_DEVICE float saturate(float a) { return __saturatef(a); }

#undef HEDDLE_DEVICE
