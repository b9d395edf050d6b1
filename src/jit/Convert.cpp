// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "cvt" and "cvt.pack" (semantics/Convert.h). A destination register may be wider than the type: the value is then
// sign- or zero-extended; a source register may be wider too: its low bits are used.
#include "jit/ConvertPacked.h"
#include "jit/Emitters.h"
#include "jit/Formats.h"

#include <optional>

namespace heddle::jit {
namespace {

using llvm::CmpInst;
using ptx::Flag;
using ptx::Op;
using ptx::Type;
using sem::Layout;
using sem::Rounding;

/// A number type of cvt.
struct Format {
  unsigned bits;
  bool isSigned;
  std::optional<Layout> layout; ///< of floating-point types
  explicit Format(Type type) : bits(ptx::bitsOf(type)), isSigned(ptx::isSigned(type)) {
    if (ptx::isFloat(type))
      layout = layoutOf(type);
  }
  bool is(const Layout &other) const { return layout && *layout == other; }
  uint64_t largest() const { return ~uint64_t(0) >> (64 - bits + isSigned); }
  uint64_t least() const { return isSigned ? ~largest() : 0; }
};

// --- integer to integer
// -------------------------------------------------------------------------------------------------

/// Clamped to what is in the range of both types, in the width of the source.
Bits clamped(const Bits &a, const Format &from, const Format &to) {
  Bits value = a;
  if (from.isSigned && (!to.isSigned || to.bits < from.bits))
    value = value.max(to.least(), true);
  const unsigned room = from.bits - from.isSigned, needed = to.bits - to.isSigned;
  return needed < room ? value.min(to.largest(), from.isSigned) : value;
}

Bits integerToInteger(const Bits &a, const Format &from, const Format &to, bool saturates) {
  return (saturates ? clamped(a, from, to) : a).resized(to.bits, from.isSigned);
}

// --- floating point to integer
// ------------------------------------------------------------------------------------------

/// f64 to s32, both clamped by the host's minimum and maximum; a NaN, which fails every comparison, becomes the least number.
Bits doubleToInteger(const Bits &a, Rounding rounding) {
  const Real whole = rounding == Rounding::RZ ? a.real() : roundedToIntegral(a.real(), rounding);
  const double least = -0x1p31, largest = 0x1p31 - 1;
  const Real above =
      select(whole.is(CmpInst::FCMP_OGT, least), whole.bits(), whole.constant(least).bits()).real();
  return select(above.is(CmpInst::FCMP_OLT, largest), above.bits(), whole.constant(largest).bits())
      .real()
      .toInteger(32, true);
}

Bits realToInteger(const Bits &a, const Format &from, const Format &to, const Modes &modes) {
  if (from.is(F64Layout) && to.bits == 32 && to.isSigned)
    return doubleToInteger(a, modes.rounding);
  const bool flushes = modes.ftz && from.is(sem::F32Layout);
  const Real whole =
      roundedToIntegral(toHost(flushedIf(flushes, a, *from.layout), *from.layout), modes.rounding);
  const double above = std::ldexp(1.0, int(to.bits - to.isSigned)), below = to.isSigned ? -above : 0.0;
  const Bits fits = whole.is(CmpInst::FCMP_OLT, above) & whole.is(CmpInst::FCMP_OGE, below);
  // Zero in lanes where the conversion would be poison. Narrow types are converted as 32 bits, which hosts have.
  const Real safe = onlyIf(fits, whole.bits()).real();
  const bool narrow = to.bits < 32;
  Bits result = safe.toInteger(narrow ? 32 : to.bits, narrow || to.isSigned).resized(to.bits);
  result = select(whole.is(CmpInst::FCMP_OGE, above), to.largest(), result);
  result = select(whole.is(CmpInst::FCMP_OLT, below), to.least(), result);
  const uint64_t forNaN = from.bits == 64 || to.bits == 64 ? uint64_t(1) << (to.bits - 1) : 0;
  return select(whole.isNaN(), forNaN, result);
}

// --- integer to floating point
// ------------------------------------------------------------------------------------------

/// A 64-bit integer as a double from which it can be rounded again: bits that do not fit set the last one.
Real oddDouble(const Bits &a, bool isSigned) {
  const Bits negative = isSigned ? a.isNegative() : (a != a);
  const Bits magnitude = isSigned ? select(negative, -a, a) : a;
  const Bits large = magnitude.lshr(53) != 0;
  const Bits jammed = magnitude.lshr(11) | ((magnitude & 0x7ff) != 0).resized(64);
  // Below 2^53, so that a signed conversion does.
  const Real kept = toReal(select(large, jammed, magnitude), 64, true);
  const Real value = select(large, (kept * 0x1p11).bits(), kept.bits()).real();
  return select(negative, (-value).bits(), value.bits()).real();
}

Bits integerToReal(const Bits &a, const Format &from, const Format &to, const Modes &modes) {
  const Layout &layout = *to.layout;
  const bool nearest = modes.rounding == Rounding::RN;
  Bits result = a;
  if (nearest && layout.width() >= 32)
    result = toReal(a, layout.width(), from.isSigned).bits();
  else if (layout == F64Layout)
    result = toReal(a, 64, from.isSigned).bits(); // exact: 64-bit integers are not compiled
  else if (nearest && layout == sem::F16Layout)
    // Exact below 2^24, and infinite beyond in either format.
    result = roundedTo(toReal(a, 32, from.isSigned), layout, modes.rounding);
  else
    result = roundedTo(from.bits < 64 ? toReal(a, 64, from.isSigned) : oddDouble(a, from.isSigned), layout,
                       modes.rounding);
  return modes.sat ? saturated(result, layout) : result;
}

// --- between floating-point types
// ---------------------------------------------------------------------------------------

/// A NaN of one format in another, if one of them is f64: sign and the upper bits of the payload are preserved.
Bits carriedNaN(const Bits &a, const Layout &from, const Layout &to) {
  const int up = to.fractionBits - from.fractionBits;
  const Bits payload = a & ((uint64_t(1) << from.fractionBits) - 1);
  const Bits wide = payload.resized(64), moved = up >= 0 ? wide.shl(up) : wide.lshr(-up);
  const uint64_t quiet = to.aboveLargest() | uint64_t(1) << (to.fractionBits - 1);
  const Bits sign = onlyIf(a.isNegative(), wide.constant(signBitOf(to)));
  return (moved | sign | quiet).resized(unsigned(to.width()));
}

bool roundsToIntegral(ptx::Rounding rounding) {
  using enum ptx::Rounding;
  return rounding == Rni || rounding == Rzi || rounding == Rmi || rounding == Rpi;
}

Bits toIntegral(const Bits &a, const Layout &layout, const Modes &modes) {
  if (layout == F64Layout) {
    const Bits result = settleNaN(roundedToIntegral(a.real(), modes.rounding), {a}, modes.anyNaN);
    return modes.sat ? saturated(result, layout) : result;
  }
  const Real whole = roundedToIntegral(toHost(flushedIf(modes.ftz, a, layout), layout), modes.rounding);
  return finished(roundedTo(whole, layout, Rounding::RN), layout, modes.ftz, modes.sat);
}

Bits toDouble(const Bits &a, const Layout &from, const Modes &modes) {
  const Bits value = flushedIf(modes.ftz && from == sem::F32Layout, a, from);
  const Bits wide = toHost(value, from).resized(64).bits();
  const Bits result = select(isNaN(value, from), carriedNaN(value, from, F64Layout), wide);
  return modes.sat ? saturated(result, F64Layout) : result;
}

Bits realToReal(const Bits &a, const Layout &from, const Layout &to, const Modes &modes) {
  if (to == F64Layout)
    return toDouble(a, from, modes);
  const bool bothFlush = modes.ftz && to == sem::F32Layout;
  const Bits value = flushedIf(modes.ftz && from == sem::F32Layout, a, from);
  const Real host = toHost(value, from);
  if (from == sem::BF16Layout && to == sem::F32Layout && !modes.ftz && !modes.sat)
    return host.bits(); // also a NaN
  const bool lifted = bothFlush && from == F64Layout;
  const Bits rounded =
      lifted ? roundedAndFlushed(host, to, modes.rounding) : roundedTo(host, to, modes.rounding);
  const Bits result = finished(rounded, to, bothFlush && !lifted, modes.sat);
  return from == F64Layout && !modes.sat ? select(isNaN(a, from), carriedNaN(a, from, to), result) : result;
}

// --- which conversion
// ---------------------------------------------------------------------------------------------------

using Conversion = std::function<Bits(Bits)>;

Conversion conversionOf(const Form &form, const Format &to, const Format &from) {
  const Modes modes{roundingOf(form.instr.mods.rnd), form.has(Flag::Ftz), form.has(Flag::Sat), form.anyNaN};
  const bool hasRelu = form.has(Flag::Relu), integral = roundsToIntegral(form.instr.mods.rnd);
  if (!from.layout && !to.layout)
    return [=](Bits a) { return integerToInteger(a, from, to, modes.sat); };
  if (!to.layout)
    return [=](Bits a) { return realToInteger(a, from, to, modes); };
  if (!from.layout) {
    if (to.is(F64Layout) && from.bits == 64 && modes.rounding != Rounding::RN)
      return {};
    return [=](Bits a) { return integerToReal(a, from, to, modes); };
  }
  if (integral && from.layout == to.layout)
    return [=](Bits a) { return toIntegral(a, *to.layout, modes); };
  if (hasRelu)
    return [=](Bits a) { return relu(roundedTo(a.real(), *to.layout, modes.rounding), *to.layout); };
  return [=](Bits a) { return realToReal(a, *from.layout, *to.layout, modes); };
}

bool isNumber(Type type) { return isInteger(type) || (ptx::isFloat(type) && type != Type::TF32); }

Emitter scalarEmitter(const Form &form) {
  const Format to(form.type()), from(form.type2());
  Conversion convert = conversionOf(form, to, from);
  if (!convert)
    return {};
  const unsigned written = std::max({16u, to.bits, form.width(form.operands[0])});
  return unary([=](const Bits &a) { return convert(a.resized(from.bits)).resized(written, to.isSigned); });
}

} // namespace

Emitter convertEmitter(const Form &form) {
  if (form.op() == Op::CvtPack)
    return packEmitter(form);
  if (form.op() != Op::Cvt)
    return {};
  const bool isScalar = isNumber(form.type()) && isNumber(form.type2()) && form.operands.size() == 2 &&
                        !form.has(Flag::SatFinite);
  return isScalar ? scalarEmitter(form) : packedConvertEmitter(form);
}

} // namespace heddle::jit
