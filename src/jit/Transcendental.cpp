// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Transcendental.h"

#include "jit/LaneCalls.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace heddle::jit {
namespace {

using llvm::CmpInst;

Real chosen(const Bits &condition, const Real &a, const Real &b) {
  return select(condition, a.bits(), b.bits()).real();
}
Real magnitudeOf(const Real &a) { return a.call(llvm::Intrinsic::fabs); }

/// c[0] + c[1] x + c[2] x^2...
Real polynomial(const Real &x, llvm::ArrayRef<double> c) {
  Real sum = x.constant(c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    sum = sum.fma(x, x.constant(coefficient));
  return sum;
}

/// Whether the value is within 16 units of the middle between two normal f32 numbers.
Bits isNearMiddle(const Real &value) {
  constexpr uint64_t Below = (1u << 29) - 1, Middle = 1u << 28, Margin = 16;
  return ~((value.bits() - (Middle - Margin)) & Below).above(2 * Margin);
}

/// 1/first!, 1/(first + step)!... with the sign that `sign` has after each.
llvm::SmallVector<double, 16> inverseFactorials(unsigned first, unsigned step, unsigned last, double sign) {
  llvm::SmallVector<double, 16> c;
  double current = 1;
  for (unsigned k = first; k <= last; k += step, current *= sign)
    c.push_back(current / std::tgamma(double(k) + 1));
  return c;
}

Approximation approximateExp2(const Real &a) {
  // Beyond these the result is infinite or zero in f32. NaN becomes one of them and is replaced at the end.
  constexpr double Limit = 200;
  Real x = chosen(a.is(CmpInst::FCMP_OLT, Limit), a, a.constant(Limit));
  x = chosen(x.is(CmpInst::FCMP_OGT, -Limit), x, x.constant(-Limit));
  const Real whole = x.call(llvm::Intrinsic::roundeven), rest = (x - whole) * std::numbers::ln2;
  const Real part = polynomial(rest, inverseFactorials(0, 1, 14, 1));
  // The integer is moved to the last bits of a double, and from there to the exponent.
  const Real value = (part.bits() + (whole + 0x1.8p52).bits().shl(52)).real();
  const Bits subnormal = value.is(CmpInst::FCMP_OLT, 0x1p-125) & value.is(CmpInst::FCMP_OGT, 0x1p-152);
  return {chosen(a.isNaN(), a, value), isNearMiddle(value) | subnormal};
}

Approximation approximateLog2(const Real &a) {
  // a = 2^exponent m with m in [sqrt(1/2), sqrt(2)). An f32 number is normal in double.
  constexpr uint64_t RootOfHalf = 0x3fe6a09e667f3bcd;
  const Bits shifted = a.bits() - RootOfHalf, exponent = shifted.ashr(52);
  const Real m = (a.bits() - exponent.shl(52)).real(), one = m.constant(1.0);
  const Real s = (m - one) / (m + one), square = s * s;
  llvm::SmallVector<double, 16> c; // log m = 2 (s + s^3/3 + s^5/5...)
  for (unsigned k = 0; k < 13; ++k)
    c.push_back(2 * std::numbers::log2e / (2 * k + 1));
  const Real value = toReal(exponent.resized(32), 64, true) + s * polynomial(square, c);
  const Bits positive = a.is(CmpInst::FCMP_OGT, 0.0), finite = a.is(CmpInst::FCMP_OLT, 0x1p200);
  constexpr double Infinity = std::numeric_limits<double>::infinity();
  const Real special = chosen(positive, a, // infinity
                              chosen(a.is(CmpInst::FCMP_OEQ, 0.0), a.constant(-Infinity),
                                     a.constant(std::numeric_limits<double>::quiet_NaN())));
  return {chosen(positive & finite, value, special), isNearMiddle(value) & positive & finite};
}

/// sin or cos: of a - n pi/2, exchanged and negated as n says.
Approximation approximateWave(const Real &a, unsigned quarter) {
  constexpr double HighPart = 0x1.921fb54442d18p0, LowPart = 0x1.1a62633145c07p-54; // pi/2
  const Real n = (a * (2 / std::numbers::pi)).call(llvm::Intrinsic::roundeven);
  // The first difference is exact: both are multiples of 2^-52, and it is less than 1.
  const Real r = (-n).fma(n.constant(LowPart), (-n).fma(n.constant(HighPart), a)), square = r * r;
  const Real sine = (r * square).fma(polynomial(square, inverseFactorials(3, 2, 19, -1)) * -1.0, r);
  const Real cosine = polynomial(square, inverseFactorials(0, 2, 18, -1));
  const Bits turn = (n + 0x1.8p52).bits() + quarter;
  const Bits swaps = (turn & 1) != 0, sign = (turn & 2).shl(62);
  Real value = (chosen(swaps, cosine, sine).bits() ^ sign).real();
  const Real magnitude = magnitudeOf(a);
  if (quarter == 0) // also -0
    value = chosen(magnitude.is(CmpInst::FCMP_OLT, 0x1p-27), a, value);
  const Bits large = magnitude.is(CmpInst::FCMP_UGE, 0x1p20); // infinity and NaN too
  return {value, isNearMiddle(value) | large};
}

} // namespace

Real exp2Of(const Real &a) { return approximated(a, Function::Exp2, approximateExp2); }
Real log2Of(const Real &a) { return approximated(a, Function::Log2, approximateLog2); }
Real sinOf(const Real &a) {
  return approximated(a, Function::Sin, [](const Real &x) { return approximateWave(x, 0); });
}
Real cosOf(const Real &a) {
  return approximated(a, Function::Cos, [](const Real &x) { return approximateWave(x, 1); });
}

} // namespace heddle::jit
