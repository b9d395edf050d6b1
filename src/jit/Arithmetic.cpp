// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .rn of f32 and f64 is the host's own operation. A sum of f16 or bf16 numbers, and a product of f16 numbers, is rounded to
// f32 first without harm; everything else is computed with more bits, rounded to odd if something is lost, and rounded once more.
#include "jit/Arithmetic.h"

namespace heddle::jit {
namespace {

using llvm::CmpInst;
using sem::Layout;
using sem::Rounding;

bool isFloat(const Layout &layout) { return layout == sem::F32Layout; }

/// Whether the format of f32 has the bits to compute an operation of this layout to nearest.
bool computesInFloat(const Layout &layout, const Modes &modes, bool multiplies) {
  return modes.rounding == Rounding::RN && (layout == sem::F16Layout || !multiplies);
}

Real operand(const Bits &a, const Layout &layout, const Modes &modes, unsigned bits) {
  return toHost(flushedIf(modes.ftz, a, layout), layout, true).resized(bits);
}

Bits finishedOf(const Bits &a, const Layout &layout, const Modes &modes) {
  const bool isCanonical = layout.width() < 32 && !modes.sat; // by roundedTo
  return modes.anyNaN || isCanonical ? a : finished(a, layout, false, modes.sat);
}

/// An exact value, or one rounded to odd, as the result.
Bits resultOf(const Real &value, const Layout &layout, const Modes &modes) {
  return finishedOf(modes.ftz ? roundedAndFlushed(value, layout, modes.rounding)
                              : roundedTo(value, layout, modes.rounding),
                    layout, modes);
}

/// Rounding downward, an exact zero sum is negative unless both terms were +0.
Real signedZeroSum(const Real &sum, const Real &a, const Real &b, Rounding rounding) {
  if (rounding != Rounding::RM)
    return sum;
  const Bits negative = sum.is(CmpInst::FCMP_OEQ, 0.0) & (a.bits() | b.bits()).isNegative();
  return select(negative, sum.constant(-0.0).bits(), sum.bits()).real();
}

Real oddSum(const Real &a, const Real &b, Rounding rounding) {
  const Real sum = a + b;
  return roundedToOdd(signedZeroSum(sum, a, b, rounding), lostInSum(a, b, sum));
}

/// .ftz of f32, to nearest: the hardware flushes what is tiny when rounded with no lower end to the exponent, which the result
/// computed with an operand 2^64 times as large shows.
Bits flushedIfTiny(const Bits &result, const Real &lifted) {
  const Bits tiny = lifted.is(CmpInst::FCMP_OGT, -0x1p-62) & lifted.is(CmpInst::FCMP_OLT, 0x1p-62);
  return select(tiny, result & signBitOf(sem::F32Layout), result);
}
constexpr double Lift = 0x1p64;

} // namespace

Bits sumOf(const Bits &a, const Bits &b, const Layout &layout, const Modes &modes) {
  if (layout == F64Layout)
    return settleNaN(a.real() + b.real(), {b, a}, modes.anyNaN);
  const bool plain = computesInFloat(layout, modes, false);
  const Real x = operand(a, layout, modes, plain ? 32 : 64), y = operand(b, layout, modes, plain ? 32 : 64);
  const Bits result = roundedTo(plain ? x + y : oddSum(x, y, modes.rounding), layout, modes.rounding);
  return finishedOf(flushedIf(modes.ftz, result, layout), layout, modes);
}

Bits differenceOf(const Bits &a, const Bits &b, const Layout &layout, const Modes &modes) {
  if (layout == F64Layout)
    return settleNaN(a.real() - b.real(), {b, a}, modes.anyNaN);
  return sumOf(a, b ^ signBitOf(layout), layout, modes);
}

Bits productOf(const Bits &a, const Bits &b, const Layout &layout, const Modes &modes) {
  if (layout == F64Layout)
    return settleNaN(a.real() * b.real(), {b, a}, modes.anyNaN);
  const bool nearestFloat = isFloat(layout) && modes.rounding == Rounding::RN;
  const bool plain = nearestFloat || computesInFloat(layout, modes, true);
  const Real x = operand(a, layout, modes, plain ? 32 : 64), y = operand(b, layout, modes, plain ? 32 : 64);
  if (nearestFloat && modes.ftz)
    return finishedOf(flushedIfTiny((x * y).bits(), (x * Lift) * y), layout, modes);
  return resultOf(x * y, layout, modes);
}

Bits fusedProductSum(const Bits &a, const Bits &b, const Bits &c, const Layout &layout, const Modes &modes) {
  if (layout == F64Layout)
    return settleNaN(a.real().fma(b.real(), c.real()), {b, c, a}, modes.anyNaN);
  if (layout.width() < 32 && modes.rounding == Rounding::RN && (layout == sem::F16Layout || !modes.ftz))
    if (auto sum = oddProductSum(operand(a, layout, modes, 32), operand(b, layout, modes, 32),
                                 operand(c, layout, modes, 32)))
      return resultOf(*sum, layout, modes);
  const bool nearestFloat = isFloat(layout) && modes.rounding == Rounding::RN;
  const unsigned bits = nearestFloat || computesInFloat(layout, modes, true) ? 32 : 64;
  const Real x = operand(a, layout, modes, bits), y = operand(b, layout, modes, bits),
             z = operand(c, layout, modes, bits);
  if (!nearestFloat)
    return resultOf(oddSum(x * y, z, modes.rounding), layout, modes);
  const Bits result = x.fma(y, z).bits();
  return finishedOf(modes.ftz ? flushedIfTiny(result, (x * Lift).fma(y, z * Lift)) : result, layout, modes);
}

Bits quotientOf(const Bits &a, const Bits &b, const Layout &layout, const Modes &modes) {
  if (layout == F64Layout)
    return settleNaN(a.real() / b.real(), {a, b}, modes.anyNaN);
  const bool nearest = modes.rounding == Rounding::RN;
  const Real x = operand(a, layout, modes, nearest ? 32 : 64),
             y = operand(b, layout, modes, nearest ? 32 : 64);
  if (nearest) {
    const Bits result = (x / y).bits();
    return finishedOf(modes.ftz ? flushedIfTiny(result, (x * Lift) / y) : result, layout, modes);
  }
  // The remainder shows on which side of the quotient the exact one is.
  const Real ratio = x / y, left = (-ratio).fma(y, x);
  const Real tail = select(y.bits().isNegative(), (-left).bits(), left.bits()).real();
  return resultOf(roundedToOdd(ratio, tail), layout, modes);
}

Bits reciprocalOf(const Bits &a, const Layout &layout, const Modes &modes) {
  if (layout == F64Layout)
    return settleNaN(a.real().constant(1.0) / a.real(), {a}, modes.anyNaN);
  return quotientOf(a.real().constant(1.0).bits(), a, layout, modes);
}

Bits rootOf(const Bits &a, const Layout &layout, const Modes &modes) {
  if (layout == F64Layout)
    return settleNaN(a.real().call(llvm::Intrinsic::sqrt), {a}, modes.anyNaN);
  const bool nearest = modes.rounding == Rounding::RN;
  const Real x = operand(a, layout, modes, nearest ? 32 : 64), root = x.call(llvm::Intrinsic::sqrt);
  const Real value = nearest ? root : roundedToOdd(root, (-root).fma(root, x));
  return finished(roundedTo(value, layout, modes.rounding), layout, modes.ftz, false);
}

// --- sign, minimum, maximum
// --------------------------------------------------------------------------------------------

namespace {
/// neg and abs of a NaN, and min and max of two: f64 keeps it, made quiet, the others return the canonical one.
Bits keptNaN(const Bits &a, const Layout &layout) {
  return layout == F64Layout ? quieted(a) : a.constant(canonicalNaNOf(layout));
}
/// Numbers as signed integers in the same order, with -0 just below +0; the same step leads back.
Bits orderKey(const Bits &a, const Layout &layout) {
  return a ^ (a.ashr(a.width() - 1) & (signBitOf(layout) - 1));
}
} // namespace

Bits negated(const Bits &a, const Layout &layout, bool anyNaN) {
  if (anyNaN)
    return a ^ signBitOf(layout);
  return select(isNaN(a, layout), keptNaN(a, layout), a ^ signBitOf(layout));
}
Bits absolute(const Bits &a, const Layout &layout, bool anyNaN) {
  if (anyNaN)
    return magnitudeOf(a, layout);
  return select(isNaN(a, layout), keptNaN(a, layout), magnitudeOf(a, layout));
}

Bits minMaxOf(const Bits &first, const Bits &second, const Layout &layout, const MinMaxModes &modes) {
  Bits a = flushedIf(modes.ftz, first, layout), b = flushedIf(modes.ftz, second, layout);
  const Bits sign = (a ^ b) & signBitOf(layout);
  if (modes.xorSign)
    a = absolute(a, layout), b = absolute(b, layout);
  const Bits x = orderKey(a, layout), y = orderKey(b, layout), aIsNaN = isNaN(a, layout),
             bIsNaN = isNaN(b, layout);
  Bits result = orderKey(modes.wantMax ? x.max(y, true) : x.min(y, true), layout);
  if (modes.xorSign)
    result = result | sign;
  if (modes.propagatesNaN)
    return select(aIsNaN | bIsNaN, canonicalNaNOf(layout), result);
  // The sign goes to a number also if it is returned because the other operand is a NaN.
  auto other = [&](const Bits &number) { return modes.xorSign ? number | sign : number; };
  result = select(bIsNaN, other(a), result);
  return select(aIsNaN, select(bIsNaN, keptNaN(b, layout), other(b)), result);
}

} // namespace heddle::jit
