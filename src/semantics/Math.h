// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of CUDA's device math library that the host's libm does not have, or has less exactly than
// the CUDA programming guide's table of maximum errors allows. Libdevice.def is the list of all; here are the
// formulas.
//
// Results are at least as accurate as CUDA's own (tests/semantics compares every function with the guide's bound);
// their last bits can differ from those of the hardware.
#pragma once

namespace heddle::semantics::math {

// Roots and reciprocals.
double cbrt(double a);
double rcbrt(double a);
double rsqrt(double a);

/// The norm of a vector of `count` elements, and its reciprocal. If an element is infinite, the norm is infinite,
/// even if another is NaN.
double norm(int count, const double *a);
double rnorm(int count, const double *a);

/// Exponentials. 10^n is exact where a double holds it.
double exp10(double a);

// sin(pi a) and cos(pi a): exact at multiples of 1/2, whatever the size of a.
double sinPi(double a);
double cosPi(double a);

// Hyperbolic functions.
double sinh(double a);
double cosh(double a);
double tanh(double a);
double asinh(double a);
double acosh(double a);
double atanh(double a);

// Functions related to the error function: e^(a^2) erfc(a), the inverses, the normal distribution.
double erfcx(double a);
double erfInverse(double a);
double erfcInverse(double a);
double normCdf(double a);
double normCdfInverse(double a);

double logGamma(double a);

// Bessel functions. Y of a negative argument is NaN; for a negative n the result is NaN, as in CUDA.
double besselJ0(double a);
double besselJ1(double a);
double besselJn(int n, double a);
double besselY0(double a);
double besselY1(double a);
double besselYn(int n, double a);
double besselI0(double a);
double besselI1(double a);

/// ilogb with CUDA's special values: INT_MIN for zero and NaN, INT_MAX for infinity.
int ilogb(double a);

/// frexp with the exponent 0 for zero, infinity and NaN.
double frexp(double a, int *exponent);

/// The payload of nan("..."): the number written in the text, as strtoull reads it.
unsigned long long nanPayload(const signed char *text);

} // namespace heddle::semantics::math
