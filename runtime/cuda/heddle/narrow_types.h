// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two 16-bit floating-point types and their pairs, defined from one description: a struct around the
// bits, since programs take those apart, with conversions from and to every number.
#pragma once

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((always_inline, unused))
#define HEDDLE_DEVICE static __inline__ __device__ __attribute__((always_inline, unused))

#define HEDDLE_NARROW_TYPES(NARROW, NARROW2, NATIVE)                                                         \
  struct NARROW##_raw {                                                                                      \
    unsigned short x;                                                                                        \
  };                                                                                                         \
  struct __align__(4) NARROW2##_raw {                                                                        \
    unsigned short x, y;                                                                                     \
  };                                                                                                         \
  struct __align__(2) NARROW {                                                                               \
    unsigned short __x;                                                                                      \
    NARROW() = default;                                                                                      \
    __host__ __device__ NARROW(const NARROW##_raw &raw) : __x(raw.x) {}                                      \
    __host__ __device__ NARROW(float a) : __x(__builtin_bit_cast(unsigned short, (NATIVE)a)) {}              \
    __host__ __device__ NARROW(double a) : __x(__builtin_bit_cast(unsigned short, (NATIVE)a)) {}             \
    __host__ __device__ NARROW(int a) : NARROW((double)a) {}                                                 \
    __host__ __device__ NARROW(unsigned int a) : NARROW((double)a) {}                                        \
    __host__ __device__ NARROW(short a) : NARROW((float)a) {}                                                \
    __host__ __device__ NARROW(unsigned short a) : NARROW((float)a) {}                                       \
    __host__ __device__ NARROW(long a) : NARROW((float)a) {}                                                 \
    __host__ __device__ NARROW(unsigned long a) : NARROW((float)a) {}                                        \
    __host__ __device__ NARROW(long long a) : NARROW((float)a) {}                                            \
    __host__ __device__ NARROW(unsigned long long a) : NARROW((float)a) {}                                   \
    __host__ __device__ operator float() const { return (float)__builtin_bit_cast(NATIVE, __x); }            \
    __host__ __device__ operator NARROW##_raw() const { return NARROW##_raw{__x}; }                          \
    __host__ __device__ explicit operator double() const { return (double)(float)*this; }                    \
    __host__ __device__ explicit operator bool() const { return (__x & 0x7fff) != 0; }                       \
    __host__ __device__ explicit operator int() const { return (int)(float)*this; }                          \
    __host__ __device__ explicit operator unsigned int() const { return (unsigned int)(float)*this; }        \
    __host__ __device__ explicit operator short() const { return (short)(float)*this; }                      \
    __host__ __device__ explicit operator unsigned short() const { return (unsigned short)(float)*this; }    \
    __host__ __device__ explicit operator long long() const { return (long long)(float)*this; }              \
    __host__ __device__ explicit operator char() const { return (char)(float)*this; }                        \
  };                                                                                                         \
  struct __align__(4) NARROW2 {                                                                              \
    NARROW x, y;                                                                                             \
    NARROW2() = default;                                                                                     \
    __host__ __device__ NARROW2(const NARROW &a, const NARROW &b) : x(a), y(b) {}                            \
  };
