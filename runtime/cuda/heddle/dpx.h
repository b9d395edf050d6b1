// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The DPX functions of CUDA, on both sides: the larger or the smaller of two or three numbers or of a sum, on
// words and on pairs of halves, with "relu" the result or zero, whichever is larger. Sums wrap.
#pragma once

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((always_inline))

template <class T> HEDDLE_BOTH T __heddle_larger(T a, T b) { return a < b ? b : a; }
template <class T> HEDDLE_BOTH T __heddle_smaller(T a, T b) { return b < a ? b : a; }
template <class T> HEDDLE_BOTH T __heddle_sum(T a, T b) { return (T)((unsigned int)a + (unsigned int)b); }

#define HEDDLE_LOW(T, word) ((T)(word))
#define HEDDLE_HIGH(T, word) ((T)((word) >> 16))
#define HEDDLE_PAIR(T, high, low) ((unsigned int)(unsigned short)(high) << 16 | (unsigned short)(low))

// A function of three (or two) words, and the same on both halves of words. `body` is a template on the type.
#define HEDDLE_WORD3(name, T, body)                                                                          \
  HEDDLE_BOTH T name(T a, T b, T c) { return body<T>(a, b, c); }
#define HEDDLE_HALVES3(name, T, body)                                                                        \
  HEDDLE_BOTH unsigned int name(unsigned int a, unsigned int b, unsigned int c) {                            \
    return HEDDLE_PAIR(T, body<T>(HEDDLE_HIGH(T, a), HEDDLE_HIGH(T, b), HEDDLE_HIGH(T, c)),                  \
                       body<T>(HEDDLE_LOW(T, a), HEDDLE_LOW(T, b), HEDDLE_LOW(T, c)));                       \
  }
#define HEDDLE_WORD2(name, T, body)                                                                          \
  HEDDLE_BOTH T name(T a, T b) { return body<T>(a, b); }
#define HEDDLE_HALVES2(name, T, body)                                                                        \
  HEDDLE_BOTH unsigned int name(unsigned int a, unsigned int b) {                                            \
    return HEDDLE_PAIR(T, body<T>(HEDDLE_HIGH(T, a), HEDDLE_HIGH(T, b)),                                     \
                       body<T>(HEDDLE_LOW(T, a), HEDDLE_LOW(T, b)));                                         \
  }

// __viaddmax_s32, _u32, _s16x2, _u16x2, and with _relu the signed ones.
#define HEDDLE_FAMILY3(name, expression)                                                                     \
  template <class T> HEDDLE_BOTH T __heddle##name(T a, T b, T c) { return expression; }                      \
  template <class T> HEDDLE_BOTH T __heddle##name##_relu(T a, T b, T c) {                                    \
    return __heddle_larger<T>(expression, 0);                                                                \
  }                                                                                                          \
  HEDDLE_WORD3(__##name##_s32, int, __heddle##name)                                                          \
  HEDDLE_WORD3(__##name##_u32, unsigned int, __heddle##name)                                                 \
  HEDDLE_WORD3(__##name##_s32_relu, int, __heddle##name##_relu)                                              \
  HEDDLE_HALVES3(__##name##_s16x2, short, __heddle##name)                                                    \
  HEDDLE_HALVES3(__##name##_u16x2, unsigned short, __heddle##name)                                           \
  HEDDLE_HALVES3(__##name##_s16x2_relu, short, __heddle##name##_relu)
HEDDLE_FAMILY3(viaddmax, __heddle_larger<T>(__heddle_sum<T>(a, b), c))
HEDDLE_FAMILY3(viaddmin, __heddle_smaller<T>(__heddle_sum<T>(a, b), c))
HEDDLE_FAMILY3(vimax3, __heddle_larger<T>(__heddle_larger<T>(a, b), c))
HEDDLE_FAMILY3(vimin3, __heddle_smaller<T>(__heddle_smaller<T>(a, b), c))
#undef HEDDLE_FAMILY3

#define HEDDLE_FAMILY2(name, expression)                                                                     \
  template <class T> HEDDLE_BOTH T __heddle##name##_relu(T a, T b) {                                         \
    return __heddle_larger<T>(expression, 0);                                                                \
  }                                                                                                          \
  HEDDLE_WORD2(__##name##_s32_relu, int, __heddle##name##_relu)                                              \
  HEDDLE_HALVES2(__##name##_s16x2_relu, short, __heddle##name##_relu)
HEDDLE_FAMILY2(vimax, __heddle_larger<T>(a, b))
HEDDLE_FAMILY2(vimin, __heddle_smaller<T>(a, b))
#undef HEDDLE_FAMILY2

// The same of two numbers, and whether it was the first (equal ones count as the first).
#define HEDDLE_WORD2_PREDICATE(name, T, choose, compare)                                                     \
  HEDDLE_BOTH T name(T a, T b, bool *isFirst) {                                                              \
    *isFirst = a compare b;                                                                                  \
    return choose<T>(a, b);                                                                                  \
  }
#define HEDDLE_HALVES2_PREDICATE(name, T, choose, compare)                                                   \
  HEDDLE_BOTH unsigned int name(unsigned int a, unsigned int b, bool *highIsFirst, bool *lowIsFirst) {       \
    *highIsFirst = HEDDLE_HIGH(T, a) compare HEDDLE_HIGH(T, b);                                              \
    *lowIsFirst = HEDDLE_LOW(T, a) compare HEDDLE_LOW(T, b);                                                 \
    return HEDDLE_PAIR(T, choose<T>(HEDDLE_HIGH(T, a), HEDDLE_HIGH(T, b)),                                   \
                       choose<T>(HEDDLE_LOW(T, a), HEDDLE_LOW(T, b)));                                       \
  }
HEDDLE_WORD2_PREDICATE(__vibmax_s32, int, __heddle_larger, >=)
HEDDLE_WORD2_PREDICATE(__vibmax_u32, unsigned int, __heddle_larger, >=)
HEDDLE_WORD2_PREDICATE(__vibmin_s32, int, __heddle_smaller, <=)
HEDDLE_WORD2_PREDICATE(__vibmin_u32, unsigned int, __heddle_smaller, <=)
HEDDLE_HALVES2_PREDICATE(__vibmax_s16x2, short, __heddle_larger, >=)
HEDDLE_HALVES2_PREDICATE(__vibmax_u16x2, unsigned short, __heddle_larger, >=)
HEDDLE_HALVES2_PREDICATE(__vibmin_s16x2, short, __heddle_smaller, <=)
HEDDLE_HALVES2_PREDICATE(__vibmin_u16x2, unsigned short, __heddle_smaller, <=)
#undef HEDDLE_HALVES2_PREDICATE
#undef HEDDLE_WORD2_PREDICATE

#undef HEDDLE_HALVES2
#undef HEDDLE_WORD2
#undef HEDDLE_HALVES3
#undef HEDDLE_WORD3
#undef HEDDLE_PAIR
#undef HEDDLE_HIGH
#undef HEDDLE_LOW
#undef HEDDLE_BOTH
