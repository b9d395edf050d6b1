// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The relatives of erf that CUDA has on the host too and C++ has not: erfcx(a) = exp(a^2) erfc(a), and the
// inverses of erf, erfc and the normal distribution. The device side is Clang's.
#pragma once

#define HEDDLE_HOST static __inline__ __host__

HEDDLE_HOST double erfcx(double a) {
  if (a < 12) {
    // What a * a loses in rounding counts a * a times in the exponential, so it is multiplied in apart.
    double square = a * a, lost = ::fma(a, a, -square);
    return ::exp(square) * (1 + lost) * ::erfc(a);
  }
  // 1/(a sqrt(pi)) * sum (-1)^k (2k-1)!! / (2 a^2)^k; from 12 on its terms fall below the last bit in time.
  double term = 1, sum = 1, step = 0.5 / (a * a);
  for (int k = 1; k < 16; ++k)
    sum += term *= -(2 * k - 1) * step;
  return a != a ? a : sum / (a * ::sqrt(M_PI));
}

/// For 0 < a < 1/2, by Newton's method on log(erfc), which is so nearly a parabola that few steps do.
HEDDLE_HOST double __heddle_erfc_inverse(double a) {
  double logA = ::log(a), y = ::sqrt(-logA);
  for (int step = 0; step < 32; ++step) {
    double scaled = erfcx(y), change = (::log(scaled) - y * y - logA) * scaled * (::sqrt(M_PI) / 2);
    y += change;
    if (::fabs(change) < 1e-15 * y)
      break;
  }
  return y;
}

/// For |a| <= 1/2, by Halley's method from the first terms of the series.
HEDDLE_HOST double __heddle_erf_inverse(double a) {
  double t = a * (::sqrt(M_PI) / 2), y = t + t * t * t / 3;
  for (int step = 0; step < 6; ++step) {
    double change = (::erf(y) - a) * (::sqrt(M_PI) / 2) * ::exp(y * y);
    y -= change / (1 + y * change);
  }
  return y;
}

HEDDLE_HOST double erfinv(double a) {
  double size = ::fabs(a);
  if (!(size < 1))
    return size == 1 ? ::copysign(HUGE_VAL, a) : NAN;
  return size <= 0.5 ? __heddle_erf_inverse(a) : ::copysign(__heddle_erfc_inverse(1 - size), a);
}
HEDDLE_HOST double erfcinv(double a) {
  if (!(a > 0 && a < 2))
    return a == 0 ? HUGE_VAL : a == 2 ? -HUGE_VAL : NAN;
  if (a >= 0.5 && a <= 1.5)
    return erfinv(1 - a);
  return a < 1 ? __heddle_erfc_inverse(a) : -__heddle_erfc_inverse(2 - a);
}
HEDDLE_HOST double normcdfinv(double a) {
  // 2a is exact, and 2a - 1 from 1/4 on.
  return -M_SQRT2 * (a < 0.25 ? erfcinv(2 * a) : -erfinv(2 * a - 1));
}

HEDDLE_HOST float erfcxf(float a) { return (float)erfcx((double)a); }
HEDDLE_HOST float erfinvf(float a) { return (float)erfinv((double)a); }
HEDDLE_HOST float erfcinvf(float a) { return (float)erfcinv((double)a); }
HEDDLE_HOST float normcdfinvf(float a) { return (float)normcdfinv((double)a); }

#undef HEDDLE_HOST
