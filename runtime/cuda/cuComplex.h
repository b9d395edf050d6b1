// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers as pairs, on both sides.
#pragma once
#define CU_COMPLEX_H_ // programs ask by this name whether it was read

#include "vector_functions.h"
#include <math.h>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HEDDLE_BOTH static __inline__ __host__ __device__

// One precision: the suffix f or none, the pair, the number, and the names of its functions.
#define HEDDLE_COMPLEX(pair, number, make, real, imag, conjugate, add, sub, mul, div, absolute)              \
  HEDDLE_BOTH pair make(number re, number im) { return pair{re, im}; }                                       \
  HEDDLE_BOTH number real(pair a) { return a.x; }                                                            \
  HEDDLE_BOTH number imag(pair a) { return a.y; }                                                            \
  HEDDLE_BOTH pair conjugate(pair a) { return pair{a.x, -a.y}; }                                             \
  HEDDLE_BOTH pair add(pair a, pair b) { return pair{a.x + b.x, a.y + b.y}; }                                \
  HEDDLE_BOTH pair sub(pair a, pair b) { return pair{a.x - b.x, a.y - b.y}; }                                \
  HEDDLE_BOTH pair mul(pair a, pair b) { return pair{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }        \
  /* Scaling by the divisor's size keeps its square within range. */                                         \
  HEDDLE_BOTH pair div(pair a, pair b) {                                                                     \
    number scale = (number)1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                            \
    number ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                           \
    number inverse = (number)1 / (bx * bx + by * by);                                                        \
    return pair{(ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse};                               \
  }                                                                                                          \
  HEDDLE_BOTH number absolute(pair a) { return hypot(a.x, a.y); }
HEDDLE_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf,
               cuCmulf, cuCdivf, cuCabsf)
HEDDLE_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub,
               cuCmul, cuCdiv, cuCabs)
#undef HEDDLE_COMPLEX

HEDDLE_BOTH cuComplex make_cuComplex(float re, float im) { return cuComplex{re, im}; }
HEDDLE_BOTH cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return cuDoubleComplex{a.x, a.y}; }
HEDDLE_BOTH cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return cuFloatComplex{(float)a.x, (float)a.y};
}
HEDDLE_BOTH cuComplex cuCfmaf(cuComplex a, cuComplex b, cuComplex c) { return cuCaddf(cuCmulf(a, b), c); }
HEDDLE_BOTH cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) {
  return cuCadd(cuCmul(a, b), c);
}

#undef HEDDLE_BOTH
