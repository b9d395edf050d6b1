// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a formula needs more than 53 bits, it uses `long double`: 64 bits on x86-64, 113 (in software, some
// microseconds per call) on AArch64. Those functions are rare in kernels; the common ones (exp, log, pow, sin,
// cos, sqrt) are libm's own double versions.
#include "semantics/Math.h"

#include <climits>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <math.h> // lgamma_r, j0l and similar functions: not in <cmath>

namespace heddle::semantics::math {

namespace {

using Wide = long double;

constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr Wide Pi = 3.14159265358979323846264338327950288L;
constexpr Wide SqrtPi = 1.77245385090551602729816748334114518L;

bool isPlain(double a) { return a != 0 && std::isfinite(a); }

/// t^3 as a double and its rounding error.
struct Cube {
  double head, tail;
};
Cube cube(double t) {
  double square = t * t, squareTail = std::fma(t, t, -square);
  double head = square * t;
  return {head, std::fma(square, t, -head) + squareTail * t};
}

} // namespace

// libm's cube root has an error of up to 4 units; after one Newton step with an exact residual, only the error of
// the final rounding is left.
double cbrt(double a) {
  if (!isPlain(a))
    return a + a;
  int exponent;
  double fraction = std::frexp(a, &exponent);
  int third = exponent / 3 - (exponent % 3 < 0);
  double scaled = std::ldexp(fraction, exponent - 3 * third); // in [0.5, 4), its root in [0.79, 1.6)
  double root = std::cbrt(scaled);
  Cube cubed = cube(root);
  root += ((scaled - cubed.head) - cubed.tail) / (3 * root * root);
  return std::ldexp(root, third);
}

double rcbrt(double a) {
  if (a == 0)
    return std::copysign(Infinity, a);
  if (!std::isfinite(a))
    return std::isnan(a) ? a : std::copysign(0.0, a);
  int exponent;
  double fraction = std::frexp(a, &exponent);
  int third = exponent / 3 - (exponent % 3 < 0);
  double scaled = std::ldexp(fraction, exponent - 3 * third);
  double root = 1 / std::cbrt(scaled);
  Cube cubed = cube(root);
  // 1 - scaled * root^3, the product taken exactly.
  double product = scaled * cubed.head,
         productTail = std::fma(scaled, cubed.head, -product) + scaled * cubed.tail;
  root += root * ((1 - product) - productTail) / 3;
  return std::ldexp(root, -third);
}

double rsqrt(double a) {
  double root = std::sqrt(a), estimate = 1 / root;
  if (!isPlain(a) || !isPlain(estimate))
    return estimate;
  // One Newton step. a = root^2 + rest, so 1 - a * estimate^2 is computed without a squared estimate, which could
  // overflow.
  double rest = std::fma(-root, root, a);
  double residual = std::fma(-root, estimate, 1.0) - 0.5 * rest * estimate * estimate;
  return std::isfinite(residual) ? std::fma(estimate, residual, estimate) : estimate;
}

namespace {
/// The sum of squares in wide range and precision; infinity takes precedence over NaN, as for hypot.
Wide squares(int count, const double *a) {
  Wide sum = 0;
  for (int i = 0; i < count; ++i) {
    if (std::isinf(a[i]))
      return std::numeric_limits<Wide>::infinity();
    sum += Wide(a[i]) * Wide(a[i]);
  }
  bool infinite = std::any_of(a, a + std::max(count, 0), [](double x) { return std::isinf(x); });
  return infinite ? std::numeric_limits<Wide>::infinity() : sum;
}
} // namespace

double norm(int count, const double *a) { return double(std::sqrt(squares(count, a))); }
double rnorm(int count, const double *a) { return double(1 / std::sqrt(squares(count, a))); }

double exp10(double a) { return std::pow(10.0, a); }

namespace {
/// pi * r for |r| <= 1/4, as a double and its rounding error, then the functions of the sum.
constexpr double PiHead = 3.14159265358979311600, PiTail = 1.22464679914735317636e-16;
double sinPiSmall(double r) {
  double head = PiHead * r, tail = std::fma(PiHead, r, -head) + PiTail * r;
  return std::sin(head) + tail * std::cos(head);
}
double cosPiSmall(double r) {
  double head = PiHead * r, tail = std::fma(PiHead, r, -head) + PiTail * r;
  return std::cos(head) - tail * std::sin(head);
}
/// a = quarter/2 + rest with |rest| <= 1/4; both exact. The quarter is taken modulo 4.
struct HalfTurns {
  int quarter;
  double rest;
};
HalfTurns halfTurns(double a) {
  double turn = std::fmod(a, 2.0), halves = std::nearbyint(2 * turn);
  return {int(halves) & 3, turn - halves / 2};
}
} // namespace

double sinPi(double a) {
  if (!std::isfinite(a))
    return NaN;
  HalfTurns t = halfTurns(a);
  if (t.rest == 0 && t.quarter % 2 == 0)
    return std::copysign(0.0, a);
  double value = t.quarter % 2 ? cosPiSmall(t.rest) : sinPiSmall(t.rest);
  return t.quarter >= 2 ? -value : value;
}

double cosPi(double a) {
  if (!std::isfinite(a))
    return NaN;
  HalfTurns t = halfTurns(a);
  if (t.rest == 0 && t.quarter % 2 == 1)
    return 0.0;
  double value = t.quarter % 2 ? sinPiSmall(t.rest) : cosPiSmall(t.rest);
  return t.quarter == 1 || t.quarter == 2 ? -value : value;
}

double sinh(double a) { return double(std::sinh(Wide(a))); }
double cosh(double a) { return double(std::cosh(Wide(a))); }
double tanh(double a) { return double(std::tanh(Wide(a))); }
double asinh(double a) { return double(std::asinh(Wide(a))); }
double acosh(double a) { return double(std::acosh(Wide(a))); }
double atanh(double a) { return double(std::atanh(Wide(a))); }

namespace {
/// erfcx for a >= 12 by its asymptotic series: 1/(a sqrt(pi)) * sum (-1)^k (2k-1)!! / (2 a^2)^k. At 12 the
/// terms fall below 2^-64 before the tenth.
double erfcxAsymptotic(double a) {
  Wide term = 1, sum = 1, inverse = 1 / (2 * Wide(a) * Wide(a));
  for (int k = 1; k < 12; ++k)
    sum += term *= -(2 * k - 1) * inverse;
  return double(sum / (Wide(a) * SqrtPi));
}
} // namespace

double erfcx(double a) {
  if (a >= 12)
    return std::isinf(a) ? 0.0 : erfcxAsymptotic(a);
  if (a < -27)
    return Infinity;
  return double(std::exp(Wide(a) * Wide(a)) * std::erfc(Wide(a)));
}

namespace {
/// y with erfc(y) = q for q in (0, 1/2]. Halley's iteration on log erfc, which is nearly a parabola,
/// converges from any start; three or four steps are sufficient.
double erfcInverseSmall(double q) {
  const double logQ = std::log(q);
  // erfc(y) is about e^(-y^2) / (y sqrt(pi)).
  double y = std::sqrt(std::max(0.2, -logQ - 0.5 * std::log(std::max(1e-3, -logQ) * 3.2)));
  for (int step = 0; step < 6; ++step) {
    double scaled = erfcx(y); // erfc(y) = e^(-y^2) * scaled
    // f = log(erfc(y)/q); close to the root the ratio itself is more exact than the difference of logarithms.
    double logRatio = std::log(scaled) - std::fma(y, y, logQ);
    if (std::fabs(logRatio) < 0.1)
      logRatio = std::log1p((std::erfc(y) - q) / q);
    double slope = -2 / (double(SqrtPi) * scaled); // f'
    double curve = slope * (-2 * y - slope);       // f''
    double change = logRatio / slope;
    change /= 1 - 0.5 * change * curve / slope;
    y -= change;
    if (std::fabs(change) < 1e-9 * y)
      break;
  }
  return y;
}

/// y with erf(y) = a for |a| <= 1/2: Newton from the first terms of the series.
double erfInverseSmall(double a) {
  const double t = a * (double(SqrtPi) / 2);
  double y = t + t * t * t / 3 + 7 * t * t * t * t * t / 30;
  for (int step = 0; step < 4; ++step) {
    double slope = 2 / double(SqrtPi) * std::exp(-y * y), change = (std::erf(y) - a) / slope;
    y -= change / (1 + y * change);
    if (std::fabs(change) < 1e-9 * std::fabs(y))
      break;
  }
  return y;
}
} // namespace

double erfInverse(double a) {
  double magnitude = std::fabs(a);
  if (!(magnitude < 1))
    return magnitude == 1 ? std::copysign(Infinity, a) : NaN;
  if (magnitude < 1e-8) // the next term of the series is below the last bit
    return double(Wide(a) * (SqrtPi / 2));
  // 1 - magnitude is exact for magnitudes from 1/2 on.
  return magnitude <= 0.5 ? erfInverseSmall(a) : std::copysign(erfcInverseSmall(1 - magnitude), a);
}

double erfcInverse(double a) {
  if (!(a > 0 && a < 2))
    return a == 0 ? Infinity : a == 2 ? -Infinity : NaN;
  if (a >= 0.5 && a <= 1.5)
    return erfInverse(1 - a); // exact
  return a < 1 ? erfcInverseSmall(a) : -erfcInverseSmall(2 - a);
}

double normCdf(double a) {
  constexpr Wide halfRoot = 0.70710678118654752440084436210484903928L;
  return double(std::erfc(-halfRoot * Wide(a)) / 2);
}

double normCdfInverse(double a) {
  constexpr Wide root = 1.41421356237309504880168872420969807857L;
  if (!(a > 0 && a < 1))
    return a == 0 ? -Infinity : a == 1 ? Infinity : NaN;
  // 2a and 2a - 1 (from 1/4 on) are exact.
  return double(-root * Wide(a < 0.25 ? erfcInverse(2 * a) : -erfInverse(2 * a - 1)));
}

// lgamma writes the sign to a global; the reentrant form does not.
double logGamma(double a) {
  int sign;
  return ::lgamma_r(a, &sign);
}

double besselJ0(double a) { return double(::j0l(Wide(a))); }
double besselJ1(double a) { return double(::j1l(Wide(a))); }
double besselJn(int n, double a) { return n < 0 ? NaN : double(::jnl(n, Wide(a))); }
double besselY0(double a) { return a < 0 ? NaN : double(::y0l(Wide(a))); }
double besselY1(double a) { return a < 0 ? NaN : double(::y1l(Wide(a))); }
double besselYn(int n, double a) { return n < 0 || a < 0 ? NaN : double(::ynl(n, Wide(a))); }

namespace {
/// I_order by its power series for moderate arguments (all terms positive), by the asymptotic one beyond.
double besselI(int order, double a) {
  const Wide x = std::fabs(Wide(a));
  if (std::isnan(a) || std::isinf(a))
    return double(x);
  if (x < 40) {
    Wide square = x * x / 4, term = order == 0 ? Wide(1) : x / 2, sum = term;
    for (int k = 1; k < 200 && term > sum * 1e-22L; ++k)
      sum += term *= square / (Wide(k) * Wide(k + order));
    return double(sum);
  }
  // e^x / sqrt(2 pi x) * sum of products of ((2j-1)^2 - 4 order^2) / (8 j x)
  Wide term = 1, sum = 1;
  for (int k = 1; k < 30 && std::fabs(term) > 1e-22L; ++k)
    sum += term *= Wide((2 * k - 1) * (2 * k - 1) - 4 * order * order) / (8 * Wide(k) * x);
  return double(std::exp(x) / std::sqrt(2 * Pi * x) * sum);
}
} // namespace

double besselI0(double a) { return besselI(0, a); }
double besselI1(double a) { return std::copysign(besselI(1, a), a); }

int ilogb(double a) {
  if (a == 0 || std::isnan(a))
    return INT_MIN;
  return std::isinf(a) ? INT_MAX : std::ilogb(a);
}

double frexp(double a, int *exponent) {
  *exponent = 0;
  return isPlain(a) ? std::frexp(a, exponent) : a;
}

unsigned long long nanPayload(const signed char *text) {
  return text ? std::strtoull(reinterpret_cast<const char *>(text), nullptr, 0) : 0;
}

} // namespace heddle::semantics::math
