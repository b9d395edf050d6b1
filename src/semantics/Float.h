// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// add, sub, mul, fma, div, rcp, sqrt for f32, f64, f16 and bf16 with PTX's modifiers as template arguments:
//
//     fma<Rounding::RN, /*Ftz=*/true, /*Sat=*/false>(a, b, c)
//
// so that a loop over lanes has no branch in it. `.rn` of f32 and f64 is the host's own operation; the
// directed modes of f32 and all of f16/bf16 go through `double` (Format.h says why that is exact); the
// directed modes of f64 go through integers (SoftDouble.h).
//
// NaN: an f32, f16 or bf16 operation whose result is a NaN returns the canonical one.
// Sat: [0, 1], NaN to +0, -0 to +0.   Ftz: subnormal inputs and results become zero of the same sign.
#pragma once

#include "semantics/Format.h"
#include "semantics/SoftDouble.h"

#include <cmath>
#include <cstdint>

namespace heddle::semantics {

// --- what the modifiers do to a value
// ------------------------------------------------------------------------------

template <class T> constexpr T flushSubnormal(T a) {
  return isSubnormal(a) ? fromBits<T>(BitsOf<T>(toBits(a) & signBit<T>)) : a;
}
template <bool Ftz, class T> constexpr T flushIf(T a) {
  if constexpr (Ftz)
    return flushSubnormal(a);
  else
    return a;
}

template <class T> constexpr T canonicalize(T a) { return isNaN(a) ? canonicalNaN<T> : a; }

/// .sat. Compares bits, since non-negative numbers are ordered like integers: 0 for negative values and NaN, 1 for
/// values above 1.
template <class T> constexpr T saturate(T a) {
  constexpr BitsOf<T> one =
      BitsOf<T>(BitsOf<T>(FormatOf<T>::layout.bias()) << FormatOf<T>::layout.fractionBits);
  BitsOf<T> bits = toBits(a);
  bits = isNaN(a) || isNegative(a) ? BitsOf<T>(0) : bits;
  return fromBits<T>(bits > one ? one : bits);
}

/// .relu: negative becomes +0, a NaN the canonical NaN.
template <class T> constexpr T relu(T a) {
  return isNaN(a) ? canonicalNaN<T> : isNegative(a) ? fromBits<T>(0) : a;
}

/// The last step of every operation, in the order of PTX: flush, then saturate (which also replaces NaN).
template <bool Ftz, bool Sat, class T> constexpr T finish(T a) {
  a = flushIf<Ftz>(a);
  if constexpr (Sat)
    return saturate(a);
  else
    return canonicalize(a);
}

/// How a fused multiply-add of f32 is computed; the result is the same. Code that is compiled for processors with the
/// instruction states so, because an inline function does not see for what its caller is compiled.
enum class FmaBy : uint8_t { PlainArithmetic, Instruction };
#if defined(__FMA__) || defined(__aarch64__)
inline constexpr FmaBy HostFma = FmaBy::Instruction;
#else
inline constexpr FmaBy HostFma = FmaBy::PlainArithmetic;
#endif

namespace detail {

/// The sign of an exact zero sum: rounding downward makes it negative unless both terms were +0.
template <Rounding R> constexpr double signZeroSum(double sum, double a, double b) {
  if constexpr (R == Rounding::RM)
    return sum == 0 && (bitsOfDouble(a) | bitsOfDouble(b)) >> 63 ? -0.0 : sum;
  else
    return sum;
}

/// A factor that lifts tiny results above the subnormal range, where they are rounded as if they were normal.
template <class T> inline constexpr double Lift = std::is_same_v<T, Half> ? 0x1p16 : 0x1p64;
template <class T> inline constexpr double LeastNormal = std::is_same_v<T, Half> ? 0x1p-14 : 0x1p-126;

/// Whether .ftz flushes a result of this exact value: the hardware rounds first, with no lower end to the
/// exponent, and flushes results that are then below the normal range. So 2^-126 * (1 - 2^-46) is kept, and
/// 2^-126 * (1 - 2^-24) is flushed (sm_90).
template <class T, Rounding R> constexpr bool isTiny(double odd) {
  constexpr auto least = narrow<FormatOf<T>::layout, Rounding::RN>(LeastNormal<T> * Lift<T>);
  return magnitudeBits(fromBits<T>(BitsOf<T>(narrow<FormatOf<T>::layout, R>(odd * Lift<T>)))) < least;
}

/// head + tail, exactly known, rounded once to T.
template <class T, Rounding R, bool Ftz = false> constexpr T roundTo(double head, double tail) {
  const double odd = roundToOdd(head, tail);
  T result = fromBits<T>(BitsOf<T>(narrow<FormatOf<T>::layout, R>(odd)));
  if constexpr (Ftz)
    return isTiny<T, R>(odd) ? fromBits<T>(BitsOf<T>(toBits(result) & signBit<T>)) : result;
  else
    return result;
}

/// The same for the host's own f32 product or fma, given that result computed with the lift.
constexpr float flushLifted(float result, float lifted) {
  return lifted > -0x1p-62f && lifted < 0x1p-62f ? floatOf(bitsOfFloat(result) & 0x80000000u) : result;
}

template <class T, Rounding R, bool Ftz = false> constexpr T sumTo(double a, double b) {
  double sum = a + b;
  return roundTo<T, R, Ftz>(signZeroSum<R>(sum, a, b), lostInSum(a, b, sum));
}

/// fma of f32 in `double`: the product of two 24-bit significands is exact there.
template <class T, Rounding R, bool Ftz = false> constexpr T fmaTo(double a, double b, double c) {
  return sumTo<T, R, Ftz>(a * b, c);
}

/// fma of f16 in f32: the product of two 11-bit significands is exact there, its exponent is far from the limits, and
/// 24 bits rounded to odd are more than the 13 that rounding once more requires.
constexpr Half fmaInFloat(float a, float b, float c) {
  const float product = a * b, sum = product + c;
  return {uint16_t(narrow<F16Layout, Rounding::RN>(roundToOdd(sum, lostInSum(product, c, sum))))};
}

/// The remainder shows on which side of the double the exact quotient is. The operands come from
/// narrow formats, so neither the quotient nor the remainder leaves the range of double.
template <class T, Rounding R, bool Ftz = false> inline T quotientTo(double a, double b) {
  double quotient = a / b;
  double left = std::fma(-quotient, b, a);
  return roundTo<T, R, Ftz>(quotient, b < 0 ? -left : left);
}

template <class T, Rounding R> inline T rootTo(double a) {
  double root = std::sqrt(a);
  return roundTo<T, R>(root, std::fma(-root, root, a));
}

/// fma in plain arithmetic: if the host lacks the instruction, `fmaf` is a call, which prevents vectorization of the
/// loop.
constexpr float plainFma(float a, float b, float c) {
  double product = double(a) * double(b), sum = product + double(c);
  return float(roundToOdd(sum, lostInSum(product, double(c), sum)));
}

template <FmaBy By> constexpr float hostFma(float a, float b, float c) {
  if constexpr (By == FmaBy::Instruction)
    return __builtin_fmaf(a, b, c);
  else
    return plainFma(a, b, c);
}

} // namespace detail

// --- f32
// -----------------------------------------------------------------------------------------------------------

template <Rounding R = Rounding::RN, bool Ftz = false, bool Sat = false>
constexpr float add(float a, float b) {
  a = flushIf<Ftz>(a), b = flushIf<Ftz>(b);
  if constexpr (R == Rounding::RN)
    return finish<Ftz, Sat>(a + b);
  else
    return finish<Ftz, Sat>(detail::sumTo<float, R>(a, b));
}

template <Rounding R = Rounding::RN, bool Ftz = false, bool Sat = false>
constexpr float sub(float a, float b) {
  return add<R, Ftz, Sat>(a, -b);
}

template <Rounding R = Rounding::RN, bool Ftz = false, bool Sat = false>
constexpr float mul(float a, float b) {
  a = flushIf<Ftz>(a), b = flushIf<Ftz>(b);
  if constexpr (R != Rounding::RN)
    return finish<false, Sat>(detail::roundTo<float, R, Ftz>(double(a) * double(b), 0.0));
  else if constexpr (Ftz)
    return finish<false, Sat>(detail::flushLifted(a * b, (a * 0x1p64f) * b));
  else
    return finish<false, Sat>(a * b);
}

template <Rounding R = Rounding::RN, bool Ftz = false, bool Sat = false, FmaBy By = HostFma>
inline float fma(float a, float b, float c) {
  a = flushIf<Ftz>(a), b = flushIf<Ftz>(b), c = flushIf<Ftz>(c);
  if constexpr (R != Rounding::RN)
    return finish<false, Sat>(detail::fmaTo<float, R, Ftz>(a, b, c));
  else if constexpr (Ftz)
    // Overflow of a lifted operand does no harm: the result is then not tiny, or exactly zero.
    return finish<false, Sat>(
        detail::flushLifted(detail::hostFma<By>(a, b, c), detail::hostFma<By>(a * 0x1p64f, b, c * 0x1p64f)));
  else
    return finish<false, Sat>(detail::hostFma<By>(a, b, c));
}

template <Rounding R = Rounding::RN, bool Ftz = false> inline float div(float a, float b) {
  a = flushIf<Ftz>(a), b = flushIf<Ftz>(b);
  if constexpr (R == Rounding::RN && !Ftz)
    return finish<false, false>(a / b);
  else
    return finish<false, false>(detail::quotientTo<float, R, Ftz>(a, b));
}

template <Rounding R = Rounding::RN, bool Ftz = false> inline float rcp(float a) {
  return div<R, Ftz>(1.0f, a);
}

template <Rounding R = Rounding::RN, bool Ftz = false> inline float sqrt(float a) {
  a = flushIf<Ftz>(a);
  if constexpr (R == Rounding::RN)
    return finish<Ftz, false>(std::sqrt(a));
  else
    return finish<Ftz, false>(detail::rootTo<float, R>(a));
}

// --- f64 (no .ftz, no .sat; the template arguments exist so that one call works for every type)
// --------------------------------

template <Rounding R = Rounding::RN, bool = false, bool = false, FmaBy = HostFma>
inline double fma(double a, double b, double c) {
  if constexpr (R == Rounding::RN)
    return settleNaN(__builtin_fma(a, b, c), b, c, a);
  else
    return softFma(a, b, c, R);
}

template <Rounding R = Rounding::RN, bool = false, bool = false> constexpr double add(double a, double b) {
  if constexpr (R == Rounding::RN)
    return settleNaN(a + b, b, a);
  else
    return softFma(a, 1.0, b, R);
}

template <Rounding R = Rounding::RN, bool = false, bool = false> constexpr double sub(double a, double b) {
  return add<R>(a, isNaN(b) ? b : -b);
}

template <Rounding R = Rounding::RN, bool = false, bool = false> constexpr double mul(double a, double b) {
  if constexpr (R == Rounding::RN)
    return settleNaN(a * b, b, a);
  else
    return softMul(a, b, R);
}

template <Rounding R = Rounding::RN, bool = false> constexpr double div(double a, double b) {
  if constexpr (R == Rounding::RN)
    return settleNaN(a / b, a, b);
  else
    return softDiv(a, b, R);
}

template <Rounding R = Rounding::RN, bool = false> constexpr double rcp(double a) { return div<R>(1.0, a); }

template <Rounding R = Rounding::RN, bool = false> inline double sqrt(double a) {
  if constexpr (R == Rounding::RN)
    return settleNaN(std::sqrt(a), a);
  else
    return softSqrt(a, R);
}

// --- f16 and bf16
// ------------------------------------------------------------------------------------------------
//
// Inlined even where they are long: as calls, they would keep a loop over lanes from becoming vector code.

template <class T>
concept Small = std::same_as<T, Half> || std::same_as<T, BFloat16>;

/// Whether f32 has enough bits to hold a sum or product of T so that rounding it again to T does no harm:
/// twice T's and two more, and no underflow before T's own. This is true except for products of bf16,
/// which has f32's exponents.
template <class T, Rounding R, bool Ftz> inline constexpr bool FloatSuffices = R == Rounding::RN && !Ftz;

template <Rounding R = Rounding::RN, bool Ftz = false, bool Sat = false, Small T>
[[gnu::always_inline]] constexpr T add(T a, T b) {
  if constexpr (FloatSuffices<T, R, Ftz>)
    return finish<false, Sat>(
        fromBits<T>(BitsOf<T>(narrow<FormatOf<T>::layout, R>(toFloat(a) + toFloat(b)))));
  else
    return finish<Ftz, Sat>(detail::sumTo<T, R>(toDouble(flushIf<Ftz>(a)), toDouble(flushIf<Ftz>(b))));
}

template <class T>
constexpr T neg(T a)
  requires(!std::integral<T>);

template <Rounding R = Rounding::RN, bool Ftz = false, bool Sat = false, Small T> constexpr T sub(T a, T b) {
  return add<R, Ftz, Sat>(a, neg(b));
}

template <Rounding R = Rounding::RN, bool Ftz = false, bool Sat = false, Small T>
[[gnu::always_inline]] constexpr T mul(T a, T b) {
  if constexpr (FloatSuffices<T, R, Ftz> && std::is_same_v<T, Half>)
    return finish<false, Sat>(fromBits<T>(BitsOf<T>(narrow<F16Layout, R>(toFloat(a) * toFloat(b)))));
  double product = toDouble(flushIf<Ftz>(a)) * toDouble(flushIf<Ftz>(b));
  return finish<false, Sat>(detail::roundTo<T, R, Ftz>(product, 0.0));
}

template <Rounding R = Rounding::RN, bool Ftz = false, bool Sat = false, bool Relu = false, Small T>
[[gnu::always_inline]] constexpr T fma(T a, T b, T c) {
  a = flushIf<Ftz>(a), b = flushIf<Ftz>(b), c = flushIf<Ftz>(c);
  T result;
  if constexpr (FloatSuffices<T, R, Ftz> && std::is_same_v<T, Half>)
    result = finish<false, Sat>(detail::fmaInFloat(toFloat(a), toFloat(b), toFloat(c)));
  else
    result = finish<false, Sat>(detail::fmaTo<T, R, Ftz>(toDouble(a), toDouble(b), toDouble(c)));
  if constexpr (Relu)
    return relu(result);
  else
    return result;
}

// --- two f16 or bf16 in one register
// -----------------------------------------------------------------------------

template <Small T> struct Pair {
  T low, high;
};
template <Small T> constexpr Pair<T> unpack(uint32_t bits) {
  return {{uint16_t(bits)}, {uint16_t(bits >> 16)}};
}
template <Small T> constexpr uint32_t pack(T low, T high) {
  return uint32_t(low.bits) | uint32_t(high.bits) << 16;
}

/// Applies a function of f16 (or bf16) values to both halves of packed operands.
template <Small T, class F, class... Packed>
[[gnu::always_inline]] constexpr uint32_t perHalf(F f, Packed... operands) {
  return pack<T>(f(unpack<T>(operands).low...), f(unpack<T>(operands).high...));
}

// --- sign, minimum, maximum, comparison, class
// ---------------------------------------------------------------------

/// neg and abs of a NaN: f64 returns it with its sign, made quiet; the others return the canonical one.
template <class T> constexpr T signlessNaN(T a) {
  if constexpr (std::is_same_v<T, double>)
    return quieted(a);
  else
    return canonicalNaN<T>;
}
template <class T>
constexpr T neg(T a)
  requires(!std::integral<T>)
{
  return isNaN(a) ? signlessNaN(a) : fromBits<T>(BitsOf<T>(toBits(a) ^ signBit<T>));
}
template <class T>
constexpr T abs(T a)
  requires(!std::integral<T>)
{
  return isNaN(a) ? signlessNaN(a) : fromBits<T>(magnitudeBits(a));
}
/// copysign: the sign of a with the magnitude of b (in PTX's order of operands).
template <class T> constexpr T copysign(T a, T b) {
  return fromBits<T>(BitsOf<T>((toBits(a) & signBit<T>) | magnitudeBits(b)));
}

/// Maps numbers to signed integers in the same order, with -0 just below +0. Not for NaN.
template <class T> constexpr std::make_signed_t<BitsOf<T>> orderKey(T a) {
  using S = std::make_signed_t<BitsOf<T>>;
  return isNegative(a) ? S(~magnitudeBits(a)) : S(magnitudeBits(a));
}

/// min and max: -0 is less than +0. If one operand is NaN, the result is the other one, or with PropagateNaN (.NaN)
/// the canonical NaN; if both are, the canonical one (f64: the second, made quiet). XorSign (.xorsign.abs): of the
/// magnitudes, with the signs multiplied.
template <bool Ftz = false, bool PropagateNaN = false, bool XorSign = false, class T>
constexpr T minMax(T a, T b, bool wantMax) {
  a = flushIf<Ftz>(a), b = flushIf<Ftz>(b);
  const BitsOf<T> sign = BitsOf<T>((toBits(a) ^ toBits(b)) & signBit<T>);
  if constexpr (XorSign)
    a = abs(a), b = abs(b);
  const bool firstIsLess = orderKey(a) < orderKey(b);
  T result = firstIsLess == wantMax ? b : a;
  if constexpr (PropagateNaN)
    result = isNaN(a) || isNaN(b) ? canonicalNaN<T> : result;
  else
    result = isNaN(a) ? (isNaN(b) ? signlessNaN(b) : b) : isNaN(b) ? a : result;
  if constexpr (XorSign)
    return isNaN(result) ? result : fromBits<T>(BitsOf<T>(toBits(result) | sign));
  else
    return result;
}
template <bool Ftz = false, bool PropagateNaN = false, bool XorSign = false, class T>
  requires(!std::integral<T>)
constexpr T min(T a, T b) {
  return minMax<Ftz, PropagateNaN, XorSign>(a, b, false);
}
template <bool Ftz = false, bool PropagateNaN = false, bool XorSign = false, class T>
  requires(!std::integral<T>)
constexpr T max(T a, T b) {
  return minMax<Ftz, PropagateNaN, XorSign>(a, b, true);
}

/// The comparisons of set and setp. The unordered ones (with a leading u) are true if an operand is NaN; Num and
/// Nan test only that.
enum class Compare : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

template <Compare Op, bool Ftz = false, class T>
  requires(!std::integral<T>)
constexpr bool compare(T left, T right) {
  left = flushIf<Ftz>(left), right = flushIf<Ftz>(right);
  const bool unordered = isNaN(left) || isNaN(right);
  const auto a = toHost(left), b = toHost(right);
  switch (Op) {
  case Compare::Eq: return a == b;
  case Compare::Ne: return !unordered && a != b;
  case Compare::Lt: return a < b;
  case Compare::Le: return a <= b;
  case Compare::Gt: return a > b;
  case Compare::Ge: return a >= b;
  case Compare::Equ: return unordered || a == b;
  case Compare::Neu: return a != b;
  case Compare::Ltu: return !(a >= b);
  case Compare::Leu: return !(a > b);
  case Compare::Gtu: return !(a <= b);
  case Compare::Geu: return !(a < b);
  case Compare::Num: return !unordered;
  case Compare::Nan: return unordered;
  }
  return false;
}
/// Integers: Lo, Ls, Hi, Hs of PTX are Lt, Le, Gt, Ge of the unsigned types.
template <Compare Op, std::integral T> constexpr bool compare(T a, T b) {
  switch (Op) {
  case Compare::Eq: return a == b;
  case Compare::Ne: return a != b;
  case Compare::Lt: return a < b;
  case Compare::Le: return a <= b;
  case Compare::Gt: return a > b;
  case Compare::Ge: return a >= b;
  default: return false;
  }
}

enum class FloatClass : uint8_t { Finite, Infinite, Number, NotANumber, Normal, Subnormal };

/// testp. Zero counts as normal.
template <class T> constexpr bool testp(T a, FloatClass which) {
  const auto magnitude = magnitudeBits(a);
  switch (which) {
  case FloatClass::Finite: return magnitude < infinityBits<T>;
  case FloatClass::Infinite: return magnitude == infinityBits<T>;
  case FloatClass::Number: return magnitude <= infinityBits<T>;
  case FloatClass::NotANumber: return magnitude > infinityBits<T>;
  case FloatClass::Normal: return magnitude < infinityBits<T> && !isSubnormal(a);
  case FloatClass::Subnormal: return isSubnormal(a);
  }
  return false;
}

} // namespace heddle::semantics
