// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .approx instructions. PTX bounds their error and leaves the bits to the hardware; here each is computed
// in double and rounded once, so its error is never above the bound (stated beside each), and usually below that
// of the hardware. A program that depends on the exact bits of the hardware cannot be checked on the simulator.
// Special values (zeros, infinities, subnormals with and without .ftz) follow the ISA's tables.
#pragma once

#include "semantics/Convert.h"

namespace heddle::semantics {

namespace detail {
/// One rounding from double to T, with the flush of .ftz.
template <bool Ftz, class T> inline T approximated(double value) {
  if constexpr (std::is_same_v<T, float>)
    return convertFloat<float, Rounding::RN, Ftz>(value);
  else
    return convertFloat<T>(value);
}
} // namespace detail

/// rcp.approx.f32: 1 ulp.
template <bool Ftz = false> inline float rcpApprox(float a) {
  return detail::approximated<Ftz, float>(1.0 / double(flushIf<Ftz>(a)));
}

/// sqrt.approx.f32: relative error 2^-23.
template <bool Ftz = false> inline float sqrtApprox(float a) { return sqrt<Rounding::RN, Ftz>(a); }

/// rsqrt.approx.f32: relative error 2^-22.9. Of a negative zero: -infinity.
template <bool Ftz = false> inline float rsqrtApprox(float a) {
  return detail::approximated<Ftz, float>(1.0 / std::sqrt(double(flushIf<Ftz>(a))));
}

/// div.approx.f32: 2 ulp for |b| in [2^-126, 2^126]. Beyond 2^126 the reciprocal it is made of is zero, so
/// that the quotient is zero, or NaN if a is infinite. Programs depend on this, so it is computed in the same way.
template <bool Ftz = false> inline float divApprox(float a, float b) {
  a = flushIf<Ftz>(a), b = flushIf<Ftz>(b);
  const bool reciprocalVanishes =
      magnitudeBits(b) > bitsOfFloat(0x1p126f) && magnitudeBits(b) < infinityBits<float>;
  if (reciprocalVanishes)
    return mul<Rounding::RN, Ftz>(a, copysign(b, 0.0f));
  return finish<Ftz, false>(a / b);
}

/// div.full.f32: 2 ulp over the full range.
template <bool Ftz = false> inline float divFull(float a, float b) { return div<Rounding::RN, Ftz>(a, b); }

/// sin.approx.f32, cos.approx.f32: absolute error 2^-20.5 in [-2 pi, 2 pi], no bound outside of it.
template <bool Ftz = false> inline float sinApprox(float a) {
  return detail::approximated<Ftz, float>(std::sin(double(flushIf<Ftz>(a))));
}
template <bool Ftz = false> inline float cosApprox(float a) {
  return detail::approximated<Ftz, float>(std::cos(double(flushIf<Ftz>(a))));
}

/// lg2.approx.f32: absolute error 2^-22 in [0.5, 2], relative 2^-22 elsewhere.
template <bool Ftz = false> inline float lg2Approx(float a) {
  return detail::approximated<Ftz, float>(std::log2(double(flushIf<Ftz>(a))));
}

/// ex2.approx: f32 2 ulp; f16 relative 2^-9.9; bf16 relative 2^-7.
template <bool Ftz = false, class T> inline T ex2Approx(T a) {
  return detail::approximated<Ftz, T>(std::exp2(toDouble(flushIf<Ftz>(a))));
}

/// tanh.approx: f32 relative 2^-11; f16 absolute 2^-10.987; bf16 relative 2^-8. No .ftz form; subnormals are
/// kept.
template <class T> inline T tanhApprox(T a) { return detail::approximated<false, T>(std::tanh(toDouble(a))); }

/// rsqrt.approx.f64: relative error 2^-21 or better.
inline double rsqrtApprox(double a) { return settleNaN(1.0 / std::sqrt(a), a); }

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write only the upper word of a double, and flush
/// subnormals.
inline double upperWord(double a) { return flushSubnormal(doubleOf(bitsOfDouble(a) & 0xffffffff00000000u)); }
inline double rcpApproxFtz(double a) { return upperWord(settleNaN(1.0 / upperWord(a), a)); }
inline double rsqrtApproxFtz(double a) { return upperWord(settleNaN(1.0 / std::sqrt(upperWord(a)), a)); }

} // namespace heddle::semantics
