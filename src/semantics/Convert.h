// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cvt between floating-point formats and between them and integers (PTX ISA, "cvt"). Integer to integer is in
// Integer.h.
#pragma once

#include "semantics/Float.h"

#include <cstdint>

namespace heddle::semantics {

// --- to an integral value, to the same or another floating-point format
// -----------------------------------------------

/// Rounded to an integral value: .rni, .rzi, .rmi, .rpi. The sign of a zero result is the operand's.
template <Rounding R, class H> inline H roundToIntegral(H a) {
  static_assert(R != Rounding::RNA, "PTX has no such rounding to integral values");
  switch (R) {
  case Rounding::RZ: return std::trunc(a);
  case Rounding::RM: return std::floor(a);
  case Rounding::RP: return std::ceil(a);
  default: return std::nearbyint(a);
  }
}

/// A host value rounded to T; converted exactly if T is at least as precise.
template <class To, Rounding R, class H> constexpr To narrowTo(H a) {
  if constexpr (FormatOf<To>::layout.fractionBits < (sizeof(H) == 8 ? 52 : 23))
    return fromBits<To>(BitsOf<To>(narrow<FormatOf<To>::layout, R>(a)));
  else
    return To(a);
}

/// Converts one floating-point type to another. Widening is exact, so its mode does not matter. A NaN that is
/// narrowed from double becomes the canonical NaN, as in arithmetic.
template <class To, Rounding R = Rounding::RN, bool Ftz = false, bool Sat = false, class From>
constexpr To convertFloat(From a) {
  if constexpr (std::is_same_v<From, float>)
    a = flushIf<Ftz>(a);
  if constexpr (std::is_same_v<To, double>) {
    double wide = isNaN(a) ? carryNaN<double>(a) : toDouble(a);
    return Sat ? saturate(wide) : wide;
  } else {
    constexpr bool flush = Ftz && std::is_same_v<To, float>;
    if constexpr (std::is_same_v<From, BFloat16> && std::is_same_v<To, float> && !Ftz && !Sat)
      return toFloat(a);
    else if constexpr (std::is_same_v<To, float> && sizeof(From) <= sizeof(float))
      return finish<flush, Sat>(toHost(a));
    else if constexpr (std::is_same_v<To, float> && R == Rounding::RN && !flush)
      return finish<false, Sat>(float(toHost(a)));
    else if constexpr (flush)
      return finish<false, Sat>(detail::roundTo<To, R, flush>(toDouble(a), 0.0));
    else
      return finish<false, Sat>(narrowTo<To, R>(toHost(a)));
  }
}

/// cvt from one floating-point type to another: from f64 the payload of a NaN is preserved (sm_90).
template <class To, Rounding R = Rounding::RN, bool Ftz = false, bool Sat = false, class From>
constexpr To convertCarryingNaN(From a) {
  if constexpr (std::is_same_v<From, double> && !std::is_same_v<To, double> && !Sat)
    return isNaN(a) ? carryNaN<To>(a) : convertFloat<To, R, Ftz, Sat>(a);
  else
    return convertFloat<To, R, Ftz, Sat>(a);
}

/// cvt.rni/.rzi/.rmi/.rpi between floating-point types of one size.
template <Rounding R, bool Ftz = false, bool Sat = false, class T> inline T convertToIntegral(T a) {
  if constexpr (std::is_same_v<T, double>) {
    double result = settleNaN(roundToIntegral<R>(a), a);
    return Sat ? saturate(result) : result;
  } else {
    float whole = roundToIntegral<R>(toHost(flushIf<Ftz>(a)));
    return finish<Ftz, Sat>(convertFloat<T>(whole));
  }
}

/// cvt.rn/.rz{.relu} f32 to f16 or bf16.
template <class To, Rounding R> constexpr To convertRelu(float a) { return relu(convertFloat<To, R>(a)); }

/// cvt.rn.f16x2.f32 and its variants: a becomes the upper half.
template <Small To, Rounding R, bool Relu = false> constexpr uint32_t convertPair(float a, float b) {
  To high = convertFloat<To, R>(a), low = convertFloat<To, R>(b);
  return Relu ? pack(relu(low), relu(high)) : pack(low, high);
}

/// cvt.tf32.f32: an f32 register whose lower 13 fraction bits are zero. .rna truncates the bits of a NaN like any
/// others; the newer forms return the canonical NaN (sm_90).
template <Rounding R = Rounding::RNA, bool Relu = false> constexpr uint32_t convertToTf32(float a) {
  if (isNaN(a))
    return R == Rounding::RNA ? bitsOfFloat(a) & 0xffffe000u : 0x7fffe000u;
  if (Relu && isNegative(a))
    return 0;
  return narrow<TF32Layout, R>(a) << 13;
}

/// cvt.rn.satfinite to e4m3 or e5m2, one value: a value that is too large, also infinity, becomes the largest number.
template <Layout To, bool Relu = false> constexpr uint8_t convertToF8(double a) {
  if (Relu && a <= 0)
    return 0;
  return uint8_t(narrow<To, Rounding::RN>(a, /*finite=*/true));
}
template <Layout To, bool Relu = false> constexpr uint16_t convertToF8Pair(double a, double b) {
  return uint16_t(convertToF8<To, Relu>(a) << 8 | convertToF8<To, Relu>(b));
}
/// cvt.rn.f16x2.e4m3x2 and .e5m2x2: exact, every 8-bit number is an f16 number.
template <Layout From, bool Relu = false> constexpr uint32_t convertFromF8Pair(uint16_t a) {
  auto one = [](uint8_t byte) {
    Half wide = convertFloat<Half>(widen<From>(byte));
    return Relu ? relu(wide) : wide;
  };
  return pack(one(uint8_t(a)), one(uint8_t(a >> 8)));
}

// --- to integers
// ----------------------------------------------------------------------------------------------------

/// The result for NaN: 0, or only the highest bit if either type has 64 bits.
template <class To, class From> constexpr To integerForNaN() {
  constexpr bool wide = std::is_same_v<From, double> || sizeof(To) == 8;
  return wide ? To(Unsigned<To>(1) << (bitsOf<To> - 1)) : To(0);
}

/// cvt from floating point to an integer: rounded to an integral value, then clamped to the range of the
/// destination (PTX clamps here with or without .sat).
template <std::integral To, Rounding R, bool Ftz = false, class From> inline To convertToInteger(From a) {
  if constexpr (std::is_same_v<From, float>)
    a = flushIf<Ftz>(a);
  // 2^bits (or half of it) is a power of two, so these limits are exact in any format, but the largest integer is
  // not.
  const auto whole = roundToIntegral<R>(toHost(a));
  using H = std::remove_const_t<decltype(whole)>;
  constexpr int magnitudeBitsOfTo = std::is_signed_v<To> ? bitsOf<To> - 1 : bitsOf<To>;
  constexpr H above = H(uint64_t(1) << (magnitudeBitsOfTo - 1)) * 2,
              below = std::is_signed_v<To> ? -above : H(0);
  const bool tooLarge = whole >= above, tooSmall = whole < below;
  // Select before converting: a conversion out of range is undefined in C++.
  const To fitting = To(tooLarge || tooSmall || isNaN(whole) ? H(0) : whole);
  const To clamped = tooLarge   ? std::numeric_limits<To>::max()
                     : tooSmall ? std::numeric_limits<To>::min()
                                : fitting;
  return isNaN(a) ? integerForNaN<To, From>() : clamped;
}

// --- from integers
// ---------------------------------------------------------------------------------------------------

/// Rounds head + tail in a directed mode, where head is the nearest number: the result is head or a neighbour of
/// it.
template <Rounding R> constexpr double stepDirected(double head, double tail) {
  const bool up = tail > 0, positive = head > 0;
  const bool step = tail != 0 && ((R == Rounding::RM && !up) || (R == Rounding::RP && up) ||
                                  (R == Rounding::RZ && up != positive));
  return step ? doubleOf(bitsOfDouble(head) + (up == positive ? 1 : uint64_t(-1))) : head;
}

/// cvt from an integer to floating point.
template <class To, Rounding R = Rounding::RN, bool Sat = false, std::integral From>
constexpr To convertFromInteger(From a) {
  if constexpr (R == Rounding::RN && std::is_floating_point_v<To>)
    return Sat ? saturate(To(a)) : To(a);
  const double head = double(a), tail = sizeof(From) < 8 ? 0.0 : double(Int128(a) - Int128(head));
  if constexpr (std::is_same_v<To, double>) {
    double result = stepDirected<R>(head, tail);
    return Sat ? saturate(result) : result;
  } else {
    return finish<false, Sat>(detail::roundTo<To, R>(head, tail));
  }
}

} // namespace heddle::semantics
