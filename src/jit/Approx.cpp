// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .approx instructions are computed in double and rounded once, as semantics/Approx.h does.
#include "jit/Approx.h"

#include "jit/Arithmetic.h"
#include "jit/LaneCalls.h"
#include "jit/Transcendental.h"

namespace heddle::jit {
namespace {

using llvm::CmpInst;
using ptx::Flag;
using ptx::Op;
using sem::Layout;

const Layout F32 = sem::F32Layout;

/// One rounding from double, with the flush of .ftz.
Bits roundedApproximation(const Real &value, bool ftz) {
  constexpr auto RN = sem::Rounding::RN;
  return canonical(ftz ? roundedAndFlushed(value, F32, RN) : roundedTo(value, F32, RN), F32);
}

Real reciprocalRoot(const Real &a) { return a.constant(1.0) / a.call(llvm::Intrinsic::sqrt); }

/// Beyond 2^126 the reciprocal that a quotient is made of is zero.
Bits quotientApprox(const Bits &first, const Bits &second, bool ftz) {
  const Bits a = flushedIf(ftz, first, F32), b = flushedIf(ftz, second, F32), magnitude = magnitudeOf(b, F32);
  const Bits vanishes =
      magnitude.above(sem::bitsOfFloat(0x1p126f)) & magnitude.below(sem::infinityBits<float>);
  const Bits divisor = select(vanishes, b & signBitOf(F32), b);
  const Bits zero = (a.real() * divisor.real()).bits(), ratio = (a.real() / b.real()).bits();
  return finished(select(vanishes, zero, ratio), F32, ftz, false);
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write only the upper word of a double.
Bits upperWord(const Bits &a) { return flushed(a & 0xffffffff00000000u, F64Layout); }

Emitter doubleEmitter(const Form &form) {
  const bool ftz = form.has(Flag::Ftz), isRoot = form.op() == Op::Rsqrt;
  if (!isRoot && form.op() != Op::Rcp)
    return {};
  return unary([=](const Bits &a) {
    const Real x = (ftz ? upperWord(a) : a).real();
    const Bits result = settleNaN(isRoot ? reciprocalRoot(x) : x.constant(1.0) / x, {a});
    return ftz ? upperWord(result) : result;
  });
}

using HostFunction = Real (*)(const Real &);

/// The instructions that call a function of the C library.
HostFunction hostFunctionOf(Op op) {
  switch (op) {
  case Op::Sin: return sinOf;
  case Op::Cos: return cosOf;
  case Op::Lg2: return log2Of;
  case Op::Ex2: return exp2Of;
  case Op::Tanh: return [](const Real &a) { return called(a, Function::Tanh); };
  default: return nullptr;
  }
}

/// ex2 and tanh of f16 and bf16, without the approximation, which is made for rounding to f32.
Emitter narrowEmitter(const Form &form, const Layout &layout) {
  const Function function = form.op() == Op::Ex2 ? Function::Exp2 : Function::Tanh;
  const bool ftz = form.has(Flag::Ftz) && form.op() == Op::Ex2;
  if (form.op() != Op::Ex2 && form.op() != Op::Tanh)
    return {};
  return unary([=](const Bits &a) {
    const Real x = toHost(flushedIf(ftz, a, layout), layout).resized(64);
    return canonical(roundedTo(called(x, function), layout, sem::Rounding::RN), layout);
  });
}

} // namespace

Emitter approxEmitter(const Form &form, const Layout &layout) {
  const bool ftz = form.has(Flag::Ftz);
  if (!form.has(Flag::Approx) && !form.has(Flag::Full))
    return {};
  if (layout == F64Layout)
    return doubleEmitter(form);
  if (layout != F32)
    return narrowEmitter(form, layout);
  if (const auto function = hostFunctionOf(form.op()))
    return unary([=](const Bits &a) {
      return roundedApproximation(function(flushedIf(ftz, a, F32).real().resized(64)), ftz);
    });
  const Modes modes{sem::Rounding::RN, ftz, false};
  switch (form.op()) {
  case Op::Div:
    if (form.has(Flag::Full))
      return binary([=](const Bits &a, const Bits &b) { return quotientOf(a, b, F32, modes); });
    return binary([=](const Bits &a, const Bits &b) { return quotientApprox(a, b, ftz); });
  // Rounding a quotient of f32 numbers to double first does no harm.
  case Op::Rcp: return unary([=](const Bits &a) { return reciprocalOf(a, F32, modes); });
  case Op::Sqrt: return unary([=](const Bits &a) { return rootOf(a, F32, modes); });
  case Op::Rsqrt:
    return unary([=](const Bits &a) {
      return roundedApproximation(reciprocalRoot(flushedIf(ftz, a, F32).real().resized(64)), ftz);
    });
  default: return {};
  }
}

} // namespace heddle::jit
