// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Floating Point Instructions", "Half Precision Floating Point Instructions" and those of mixed precision.
#include "jit/Approx.h"
#include "jit/Arithmetic.h"
#include "jit/Emitters.h"

namespace heddle::jit {
namespace {

using ptx::Flag;
using ptx::Op;
using ptx::Type;
using sem::Layout;

Modes modesOf(const Form &form) {
  return {roundingOf(form.instr.mods.rnd), form.has(Flag::Ftz), form.has(Flag::Sat), form.anyNaN};
}

Emitter arithmeticEmitter(const Form &form, const Layout &layout) {
  const Modes modes = modesOf(form);
  const bool hasRelu = form.has(Flag::Relu);
  if (layout == F64Layout && modes.rounding != sem::Rounding::RN)
    return {};
  switch (form.op()) {
  case Op::Add: return binary([=](const Bits &a, const Bits &b) { return sumOf(a, b, layout, modes); });
  case Op::Sub:
    return binary([=](const Bits &a, const Bits &b) { return differenceOf(a, b, layout, modes); });
  case Op::Mul: return binary([=](const Bits &a, const Bits &b) { return productOf(a, b, layout, modes); });
  case Op::Mad:
  case Op::Fma:
    return ternary([=](const Bits &a, const Bits &b, const Bits &c) {
      const Bits result = fusedProductSum(a, b, c, layout, modes);
      return hasRelu ? relu(result, layout) : result;
    });
  case Op::Div: return binary([=](const Bits &a, const Bits &b) { return quotientOf(a, b, layout, modes); });
  case Op::Rcp: return unary([=](const Bits &a) { return reciprocalOf(a, layout, modes); });
  case Op::Sqrt: return unary([=](const Bits &a) { return rootOf(a, layout, modes); });
  default: return {};
  }
}

Emitter minMaxEmitterOf(const Form &form, const Layout &layout) {
  const MinMaxModes modes{form.op() == Op::Max, form.has(Flag::Ftz), form.has(Flag::PropagateNan),
                          form.has(Flag::XorSign)};
  if (form.operands.size() > 3 && layout.width() < 32)
    return {}; // no such instruction
  if (form.operands.size() > 3)
    return ternary([=](const Bits &a, const Bits &b, const Bits &c) {
      return minMaxOf(minMaxOf(a, b, layout, modes), c, layout, modes);
    });
  return binary([=](const Bits &a, const Bits &b) { return minMaxOf(a, b, layout, modes); });
}

Emitter signEmitter(const Form &form, const Layout &layout) {
  const bool ftz = form.has(Flag::Ftz), anyNaN = form.anyNaN;
  switch (form.op()) {
  case Op::Abs:
    return unary([=](const Bits &a) { return absolute(flushedIf(ftz, a, layout), layout, anyNaN); });
  case Op::Neg:
    return unary([=](const Bits &a) { return negated(flushedIf(ftz, a, layout), layout, anyNaN); });
  case Op::CopySign:
    return binary(
        [=](const Bits &a, const Bits &b) { return (a & signBitOf(layout)) | magnitudeOf(b, layout); });
  default: return {};
  }
}

/// add.f32.f16 d, a, c: a (and the b of fma) is narrow, the rest f32.
Emitter mixedEmitter(const Form &form) {
  const Layout narrow = layoutOf(form.type2()), wide = sem::F32Layout;
  const Modes modes{roundingOf(form.instr.mods.rnd), false, form.has(Flag::Sat)};
  auto widened = [=](const Bits &a) { return toHost(a, narrow).bits(); };
  switch (form.op()) {
  case Op::Add:
    return binary([=](const Bits &a, const Bits &c) { return sumOf(widened(a), c, wide, modes); });
  case Op::Sub:
    return binary([=](const Bits &a, const Bits &c) { return differenceOf(widened(a), c, wide, modes); });
  case Op::Fma:
    return ternary([=](const Bits &a, const Bits &b, const Bits &c) {
      return fusedProductSum(widened(a), widened(b), c, wide, modes);
    });
  default: return {};
  }
}

/// The emitter for one value; packed types have two.
Emitter singleEmitter(const Form &form, const Layout &layout) {
  if (form.op() == Op::Min || form.op() == Op::Max)
    return minMaxEmitterOf(form, layout);
  if (Emitter approx = approxEmitter(form, layout))
    return approx;
  if (form.has(Flag::Approx) || form.has(Flag::Full))
    return {};
  Emitter arithmetic = arithmeticEmitter(form, layout);
  return arithmetic ? arithmetic : signEmitter(form, layout);
}

} // namespace

Emitter floatEmitter(const Form &form) {
  switch (form.type()) {
  case Type::F32:
    if (form.type2() != Type::None)
      return form.type2() == Type::F16 || form.type2() == Type::BF16 ? mixedEmitter(form) : Emitter();
    [[fallthrough]];
  case Type::F16:
  case Type::BF16:
  case Type::F64: return form.type2() == Type::None ? singleEmitter(form, layoutOf(form.type())) : Emitter();
  case Type::F16X2:
  case Type::BF16X2:
  case Type::F32X2:
    return form.type2() == Type::None ? onHalves(singleEmitter(form, layoutOf(form.type()))) : Emitter();
  default: return {};
  }
}

} // namespace heddle::jit
