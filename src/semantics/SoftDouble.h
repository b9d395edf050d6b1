// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f64 arithmetic with integers, for rounding modes other than that of the host. It is slow (some tens of
// nanoseconds) and rarely used by real code, so it is written for readability.
//
// A finite number is a sign, a 128-bit significand and an exponent. An exact result is converted to the same
// format; if bits do not fit, its last bit is set ("jammed"). That bit is far below the position at which the
// result is rounded, so the rounding is that of the exact value.
#pragma once

#include "semantics/Format.h"
#include "semantics/Integer.h"

#include <cstdint>
#include <utility>

namespace heddle::semantics {

/// The NaN that an f64 operation returns: the first operand that is one, made quiet, else that of the hardware.
/// Callers list the operands in the order of the hardware (observed on sm_90): the multiplier's second, the
/// addend, the first.
constexpr double quieted(double a) { return doubleOf(bitsOfDouble(a) | uint64_t(1) << 51); }
constexpr double firstNaN() { return canonicalNaN<double>; }
template <class... Rest> constexpr double firstNaN(double a, Rest... rest) {
  return a != a ? quieted(a) : firstNaN(rest...);
}
template <class... Operands> constexpr double settleNaN(double result, Operands... operands) {
  return result == result ? result : firstNaN(operands...);
}

namespace detail {

/// significand * 2^exponent. The significand of a non-zero number is normalised: bit 125 is its highest.
struct Unpacked {
  bool negative;
  UInt128 significand;
  int exponent;
};
inline constexpr int TopBit = 125;

constexpr int highestBit(UInt128 a) {
  uint64_t high = uint64_t(a >> 64);
  return high ? 127 - std::countl_zero(high) : 63 - std::countl_zero(uint64_t(a));
}

constexpr Unpacked normalise(bool negative, UInt128 significand, int exponent) {
  if (significand == 0)
    return {negative, 0, 0};
  int up = TopBit - highestBit(significand);
  // `up` is negative by at most two, after a carry; bits that are shifted out are then jammed.
  if (up < 0)
    return {negative, (significand >> -up) | UInt128((significand & ((UInt128(1) << -up) - 1)) != 0),
            exponent - up};
  return {negative, significand << up, exponent - up};
}

constexpr Unpacked unpack(double a) {
  uint64_t bits = bitsOfDouble(a), fraction = bits & ((uint64_t(1) << 52) - 1);
  int field = int(bits >> 52 & 0x7ff);
  UInt128 significand = field ? fraction | uint64_t(1) << 52 : fraction;
  return normalise(bits >> 63, significand, (field ? field : 1) - 1075);
}

constexpr UInt128 shiftRightJam(UInt128 a, int places) {
  if (places > 127)
    return a != 0;
  return places == 0 ? a : (a >> places) | UInt128((a & ((UInt128(1) << places) - 1)) != 0);
}

constexpr double infinite(bool negative) {
  return doubleOf(uint64_t(negative) << 63 | uint64_t(0x7ff) << 52);
}

/// Rounds to double. The significand must be normalised (or zero).
constexpr double packRounded(Unpacked a, Rounding mode) {
  const uint64_t sign = uint64_t(a.negative) << 63;
  if (a.significand == 0)
    return doubleOf(sign);
  // The value lies in [2^e, 2^(e+1)); its unit is 2^(e-52), or 2^-1074 below the normal range.
  int e = a.exponent + TopBit;
  int below = e < -1022 ? -1022 - e : 0;
  UInt128 significand = shiftRightJam(a.significand, below);
  constexpr int shift = TopBit - 52;
  uint64_t kept = uint64_t(significand >> shift);
  UInt128 lost = significand & ((UInt128(1) << shift) - 1);
  // Scaled to 64 bits with the sticky bit, so that the rule of Format.h can be used here too.
  uint64_t lostBits = uint64_t(shiftRightJam(lost, shift - 62));
  kept += roundsUp(mode, a.negative, kept & 1, lostBits, uint64_t(1) << 61);
  uint64_t field = below ? 0 : uint64_t(e + 1022);
  if (e > 1023 || (field << 52) + kept >= uint64_t(0x7ff) << 52)
    return overflowsToInfinity(mode, a.negative) ? infinite(a.negative)
                                                 : doubleOf(sign | 0x7fefffffffffffffu);
  return doubleOf(sign | ((field << 52) + kept));
}

constexpr bool isFinite(double a) { return magnitudeBits(a) < infinityBits<double>; }

constexpr Unpacked product(Unpacked a, Unpacked b) {
  // 53 significant bits each, so the product of the parts above bit 72 is exact in 106.
  UInt128 significand = (a.significand >> 73) * (b.significand >> 73);
  return normalise(a.negative != b.negative, significand, a.exponent + b.exponent + 146);
}

/// Sum of two numbers; the sign of an exact zero follows the mode.
constexpr Unpacked sum(Unpacked a, Unpacked b, Rounding mode) {
  const bool zeroSign = a.negative == b.negative ? a.negative : mode == Rounding::RM;
  if (a.significand == 0 && b.significand == 0)
    return {zeroSign, 0, 0};
  if (a.significand == 0)
    return b;
  if (b.significand == 0)
    return a;
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand))
    std::swap(a, b);
  UInt128 smaller = shiftRightJam(b.significand, a.exponent - b.exponent);
  if (a.negative == b.negative)
    return normalise(a.negative, a.significand + smaller, a.exponent);
  return a.significand == smaller ? Unpacked{zeroSign, 0, 0}
                                  : normalise(a.negative, a.significand - smaller, a.exponent);
}

} // namespace detail

/// a * b + c with one rounding.
constexpr double softFma(double a, double b, double c, Rounding mode) {
  using namespace detail;
  if (!isFinite(a) || !isFinite(b) || !isFinite(c))
    return settleNaN(isFinite(a) && isFinite(b) ? c : a * b + c, b, c, a);
  return packRounded(sum(product(unpack(a), unpack(b)), unpack(c), mode), mode);
}

constexpr double softMul(double a, double b, Rounding mode) {
  using namespace detail;
  if (!isFinite(a) || !isFinite(b))
    return settleNaN(a * b, b, a);
  return packRounded(product(unpack(a), unpack(b)), mode);
}

constexpr double softDiv(double a, double b, Rounding mode) {
  using namespace detail;
  if (!isFinite(a) || !isFinite(b) || a == 0 || b == 0)
    return settleNaN(a / b, a, b); // exact, infinite or NaN: no rounding
  Unpacked x = unpack(a), y = unpack(b);
  // 126 bits divided by 53: a quotient of at least 73 bits; the remainder determines the last one.
  UInt128 divisor = y.significand >> 73, quotient = x.significand / divisor;
  quotient = quotient << 1 | UInt128(x.significand % divisor != 0);
  return packRounded(normalise(x.negative != y.negative, quotient, x.exponent - y.exponent - 73 - 1), mode);
}

constexpr double softSqrt(double a, Rounding mode) {
  using namespace detail;
  if (!(a > 0) || !isFinite(a))
    return a == 0 || a > 0 ? a : settleNaN(canonicalNaN<double>, a);
  Unpacked x = unpack(a);
  UInt128 rest = x.exponent & 1 ? x.significand << 1 : x.significand; // below 2^127, and an even exponent
  int exponent = x.exponent & 1 ? x.exponent - 1 : x.exponent;
  // The root of a 127-bit number has 64 bits, which are computed one by one from the highest.
  UInt128 root = 0;
  for (UInt128 bit = UInt128(1) << 126; bit != 0; bit >>= 2) {
    bool fits = rest >= root + bit;
    rest -= fits ? root + bit : 0;
    root = (root >> 1) + (fits ? bit : 0);
  }
  return packRounded(normalise(false, root << 1 | UInt128(rest != 0), exponent / 2 - 1), mode);
}

} // namespace heddle::semantics
