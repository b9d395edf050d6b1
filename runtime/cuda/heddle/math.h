// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that CUDA has and C++ has not, on the host side (the device side is Clang's), and their float
// overloads on both. nvcc gives a program all of these without an #include.
#pragma once

#include "host_error_functions.h"

#define HEDDLE_BOTH static __inline__ __host__ __device__ __attribute__((always_inline))
#define HEDDLE_HOST static __inline__ __host__

HEDDLE_HOST double rsqrt(double a) { return 1.0 / ::sqrt(a); }
HEDDLE_HOST float rsqrtf(float a) { return (float)rsqrt((double)a); }
HEDDLE_HOST double rcbrt(double a) { return 1.0 / ::cbrt(a); }
HEDDLE_HOST float rcbrtf(float a) { return (float)rcbrt((double)a); }
HEDDLE_HOST double fdivide(double a, double b) { return a / b; }
HEDDLE_HOST float fdividef(float a, float b) { return a / b; }
HEDDLE_HOST double rhypot(double a, double b) { return 1.0 / ::hypot(a, b); }
HEDDLE_HOST float rhypotf(float a, float b) { return (float)rhypot((double)a, (double)b); }
HEDDLE_HOST double norm3d(double a, double b, double c) { return ::hypot(::hypot(a, b), c); }
HEDDLE_HOST float norm3df(float a, float b, float c) { return (float)norm3d(a, b, c); }
HEDDLE_HOST double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
HEDDLE_HOST float rnorm3df(float a, float b, float c) { return (float)rnorm3d(a, b, c); }
HEDDLE_HOST double norm4d(double a, double b, double c, double d) {
  return ::hypot(::hypot(a, b), ::hypot(c, d));
}
HEDDLE_HOST float norm4df(float a, float b, float c, float d) { return (float)norm4d(a, b, c, d); }

// sin(pi a): reducing the argument first, while it is still exact, is the point of having these.
HEDDLE_HOST double sinpi(double a) {
  double r = ::remainder(a, 2.0); // in [-1, 1]
  if (r > 0.5)
    r = 1.0 - r;
  else if (r < -0.5)
    r = -1.0 - r;
  return ::sin(M_PI * r);
}
HEDDLE_HOST double cospi(double a) {
  double r = ::fabs(::remainder(a, 2.0)); // in [0, 1]
  return ::sin(M_PI * (0.5 - r));
}
HEDDLE_HOST float sinpif(float a) { return (float)sinpi((double)a); }
HEDDLE_HOST float cospif(float a) { return (float)cospi((double)a); }
HEDDLE_HOST void sincospi(double a, double *s, double *c) {
  *s = sinpi(a);
  *c = cospi(a);
}
HEDDLE_HOST void sincospif(float a, float *s, float *c) {
  *s = sinpif(a);
  *c = cospif(a);
}

HEDDLE_HOST double normcdf(double a) { return 0.5 * ::erfc(-a * M_SQRT1_2); }
HEDDLE_HOST float normcdff(float a) { return (float)normcdf((double)a); }

HEDDLE_BOTH float rsqrt(float a) { return rsqrtf(a); }
HEDDLE_BOTH float rcbrt(float a) { return rcbrtf(a); }
HEDDLE_BOTH float fdivide(float a, float b) { return fdividef(a, b); }
HEDDLE_BOTH float rhypot(float a, float b) { return rhypotf(a, b); }
HEDDLE_BOTH float norm3d(float a, float b, float c) { return norm3df(a, b, c); }
HEDDLE_BOTH float rnorm3d(float a, float b, float c) { return rnorm3df(a, b, c); }
HEDDLE_BOTH float norm4d(float a, float b, float c, float d) { return norm4df(a, b, c, d); }
HEDDLE_BOTH float sinpi(float a) { return sinpif(a); }
HEDDLE_BOTH float cospi(float a) { return cospif(a); }
HEDDLE_BOTH void sincospi(float a, float *s, float *c) { sincospif(a, s, c); }
HEDDLE_BOTH float normcdf(float a) { return normcdff(a); }
HEDDLE_BOTH float erfinv(float a) { return erfinvf(a); }
HEDDLE_BOTH float erfcinv(float a) { return erfcinvf(a); }
HEDDLE_BOTH float erfcx(float a) { return erfcxf(a); }
HEDDLE_BOTH float normcdfinv(float a) { return normcdfinvf(a); }
static __inline__ __device__ void sincos(float a, float *s, float *c) { sincosf(a, s, c); }

#undef HEDDLE_HOST
#undef HEDDLE_BOTH
