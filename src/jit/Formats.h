// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point values of PTX as bits, and their rounding (semantics/Format.h and Float.h). A format is described by its
// layout, since the type of a value is only known when IR is emitted.
//
// Rounding to a narrower format is done in two steps that vector code has on every host: to nearest, by the host or by an
// addition to the bits; then, in a directed mode, the result is compared with the value and replaced by its neighbour if it
// is on the wrong side.
#pragma once

#include "jit/Value.h"
#include "ptx/Isa.h"
#include "semantics/Format.h"

#include <optional>

namespace heddle::jit {

namespace sem = heddle::semantics;

inline constexpr sem::Layout F64Layout = sem::FormatOf<double>::layout;

/// The layout of f16, bf16, f32 and f64, also of their packed types.
sem::Layout layoutOf(ptx::Type type);

/// What an operation does to its operands and its result.
struct Modes {
  sem::Rounding rounding = sem::Rounding::RN;
  bool ftz = false, sat = false;
  bool anyNaN = false; ///< f32 and f64: of a result that is one, the bits do not matter; not with sat
};

constexpr uint64_t signBitOf(const sem::Layout &layout) { return uint64_t(1) << (layout.width() - 1); }
uint64_t canonicalNaNOf(const sem::Layout &layout);

Bits magnitudeOf(const Bits &a, const sem::Layout &layout);
Bits isNaN(const Bits &a, const sem::Layout &layout);
Bits flushed(const Bits &a, const sem::Layout &layout);
inline Bits flushedIf(bool ftz, const Bits &a, const sem::Layout &layout) {
  return ftz ? flushed(a, layout) : a;
}
Bits canonical(const Bits &a, const sem::Layout &layout);
Bits saturated(const Bits &a, const sem::Layout &layout);
Bits relu(const Bits &a, const sem::Layout &layout);
/// The last step of operations: flush, then saturate or make a NaN canonical.
Bits finished(const Bits &a, const sem::Layout &layout, bool ftz, bool sat);

/// f64: the first operand that is a NaN, made quiet, in place of a result that is one.
Bits quieted(const Bits &a);
Bits settleNaN(const Real &result, std::initializer_list<Bits> operands, bool anyNaN = false);

/// The value in the narrowest format of the host that holds it. Half: a NaN becomes the canonical one, or any if `anyNaN`.
Real toHost(const Bits &a, const sem::Layout &layout, bool anyNaN = false);

/// head + tail, rounded to odd in the format of head: its last bit states that something is lost. Only the sign of tail matters,
/// its format may be another.
Real roundedToOdd(const Real &head, const Real &tail);
/// The rounding error of a + b = sum.
Real lostInSum(const Real &a, const Real &b, const Real &sum);

/// a * b + c of floats, rounded to odd; nothing if the host has no quick way for as many lanes.
std::optional<Real> oddProductSum(const Real &a, const Real &b, const Real &c);

/// A value rounded to a layout that is no more precise than its format. NaN becomes the canonical one, but any in f32: that is
/// left to `finished`.
Bits roundedTo(const Real &value, const sem::Layout &to, sem::Rounding rounding);

/// The same, and results that round to less than the smallest normal number, with no lower end to the exponent, become zero.
Bits roundedAndFlushed(const Real &value, const sem::Layout &to, sem::Rounding rounding);

/// An integral value: .rni, .rzi, .rmi, .rpi.
Real roundedToIntegral(const Real &value, sem::Rounding rounding);

} // namespace heddle::jit
