// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// min, max and abs as nvcc gives them without an #include, on both sides, also for two different types. Two
// int are apart: Clang has device functions for those, so only the host's are missing.
#pragma once

#if defined(HEDDLE_MINMAX_HOST_ONLY) // the device's come from elsewhere (heddle_toolkit_extras.h)
#define HEDDLE_BOTH static __inline__ __host__ __attribute__((always_inline))
#else
#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((always_inline))
#endif
#define HEDDLE_HOST static __inline__ __host__ __attribute__((always_inline))

HEDDLE_HOST int min(int a, int b) { return b < a ? b : a; }
HEDDLE_HOST int max(int a, int b) { return a < b ? b : a; }

#define HEDDLE_MINMAX(result, a_t, b_t)                                                                      \
  HEDDLE_BOTH result min(a_t a, b_t b) { return (result)b < (result)a ? (result)b : (result)a; }             \
  HEDDLE_BOTH result max(a_t a, b_t b) { return (result)a < (result)b ? (result)b : (result)a; }
// A signed and an unsigned number meet as unsigned, as C++ has it everywhere.
#define HEDDLE_MINMAX_INTEGERS(word)                                                                         \
  HEDDLE_MINMAX(unsigned word, unsigned word, unsigned word)                                                 \
  HEDDLE_MINMAX(unsigned word, word, unsigned word)                                                          \
  HEDDLE_MINMAX(unsigned word, unsigned word, word)
HEDDLE_MINMAX_INTEGERS(int)
HEDDLE_MINMAX(long, long, long)
HEDDLE_MINMAX_INTEGERS(long)
HEDDLE_MINMAX(long long, long long, long long)
HEDDLE_MINMAX_INTEGERS(long long)
#undef HEDDLE_MINMAX_INTEGERS
#undef HEDDLE_MINMAX

// Floating point follows fmin and fmax: a NaN loses against a number.
#define HEDDLE_FMINMAX(result, a_t, b_t, suffix)                                                             \
  HEDDLE_BOTH result min(a_t a, b_t b) { return fmin##suffix((result)a, (result)b); }                        \
  HEDDLE_BOTH result max(a_t a, b_t b) { return fmax##suffix((result)a, (result)b); }
HEDDLE_FMINMAX(float, float, float, f)
HEDDLE_FMINMAX(double, double, double, )
HEDDLE_FMINMAX(double, float, double, )
HEDDLE_FMINMAX(double, double, float, )
#undef HEDDLE_FMINMAX

// The names that say their type; Clang has the device's.
#define HEDDLE_NAMED(prefix, type)                                                                           \
  HEDDLE_HOST type prefix##min(type a, type b) { return b < a ? b : a; }                                     \
  HEDDLE_HOST type prefix##max(type a, type b) { return a < b ? b : a; }
HEDDLE_NAMED(u, unsigned int)
HEDDLE_NAMED(ll, long long)
HEDDLE_NAMED(ull, unsigned long long)
#undef HEDDLE_NAMED

#undef HEDDLE_HOST
#undef HEDDLE_BOTH
