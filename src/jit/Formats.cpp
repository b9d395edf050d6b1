// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/Formats.h"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/TargetParser/Host.h>

namespace heddle::jit {

using llvm::CmpInst;
using sem::Layout;
using sem::Rounding;

Layout layoutOf(ptx::Type type) {
  switch (type) {
  case ptx::Type::F16:
  case ptx::Type::F16X2: return sem::F16Layout;
  case ptx::Type::BF16:
  case ptx::Type::BF16X2: return sem::BF16Layout;
  case ptx::Type::F64: return F64Layout;
  default: return sem::F32Layout;
  }
}

uint64_t canonicalNaNOf(const Layout &layout) {
  return layout == F64Layout ? sem::bitsOfDouble(sem::canonicalNaN<double>) : layout.canonicalNaN();
}

Bits magnitudeOf(const Bits &a, const Layout &layout) { return a & (signBitOf(layout) - 1); }

Bits isNaN(const Bits &a, const Layout &layout) {
  if (layout.width() >= 32)
    return a.real().isNaN();
  return magnitudeOf(a, layout).above(layout.aboveLargest());
}

Bits flushed(const Bits &a, const Layout &layout) {
  const Bits tiny = magnitudeOf(a, layout).below(uint64_t(1) << layout.fractionBits);
  return select(tiny, a & signBitOf(layout), a);
}

Bits canonical(const Bits &a, const Layout &layout) {
  return select(isNaN(a, layout), canonicalNaNOf(layout), a);
}

Bits saturated(const Bits &a, const Layout &layout) {
  const uint64_t one = uint64_t(layout.bias()) << layout.fractionBits;
  const Bits plain = onlyIf(~(isNaN(a, layout) | a.isNegative()), a);
  return plain.min(one, false);
}

Bits relu(const Bits &a, const Layout &layout) {
  return select(isNaN(a, layout), canonicalNaNOf(layout), a.max(0, true));
}

Bits finished(const Bits &a, const Layout &layout, bool ftz, bool sat) {
  const Bits result = flushedIf(ftz, a, layout);
  return sat ? saturated(result, layout) : canonical(result, layout);
}

Bits quieted(const Bits &a) { return a | uint64_t(1) << (F64Layout.fractionBits - 1); }

Bits settleNaN(const Real &result, std::initializer_list<Bits> operands, bool anyNaN) {
  if (anyNaN)
    return result.bits();
  Bits nan = result.bits().constant(canonicalNaNOf(F64Layout));
  for (const Bits *operand = operands.end(); operand-- != operands.begin();)
    nan = select(operand->real().isNaN(), quieted(*operand), nan);
  return select(result.isNaN(), nan, result.bits());
}

namespace {

/// Whether the host has instructions for conversions between halves and floats; else LLVM would call functions for them.
bool convertsHalves() {
#if defined(__aarch64__)
  return true;
#else
  static const bool has = llvm::sys::getHostCPUFeatures().lookup("f16c");
  return has;
#endif
}

Real halfToFloat(const Bits &a, bool anyNaN) {
  if (convertsHalves()) {
    llvm::IRBuilderBase &ir = a.builder();
    const Bits half = a.resized(16);
    llvm::Value *value =
        ir.CreateFPExt(ir.CreateBitCast(half.value(), withElement(half.type(), ir.getHalfTy())),
                       withElement(half.type(), ir.getFloatTy()));
    const Real wide(ir, value);
    return anyNaN ? wide : canonical(wide.bits(), sem::F32Layout).real();
  }
  const Bits wide = a.resized(32), magnitude = wide & 0x7fff, sign = (wide & 0x8000).shl(16);
  const Bits scaled = (magnitude.shl(13).real() * 0x1p112).bits();
  const Bits finite = select(magnitude == 0x7c00, 0x7f800000u, scaled) | sign;
  return select(magnitude.above(0x7c00), 0x7fffffffu, finite).real();
}

/// f32 to f16, to nearest (semantics::roundToHalf).
Bits nearestHalf(const Real &value) {
  if (convertsHalves()) {
    llvm::IRBuilderBase &ir = value.builder();
    llvm::Value *half = ir.CreateFPTrunc(value.value(), withElement(value.type(), ir.getHalfTy()));
    const Bits bits(ir, ir.CreateBitCast(half, withElement(value.type(), ir.getInt16Ty())));
    return select(value.isNaN(), canonicalNaNOf(sem::F16Layout), bits);
  }
  const Bits bits = value.bits(), magnitude = bits & 0x7fffffffu, sign = (bits ^ magnitude).lshr(16);
  const Bits normal = (magnitude + 0xfff + (magnitude.lshr(13) & 1) - (112u << 23)).lshr(13);
  const Bits subnormal = (magnitude.real() + 0.5).bits() - 0x3f000000u;
  Bits result = select(magnitude.below(0x38800000u), subnormal, normal);
  result = select(magnitude.below(0x477ff000u), result, 0x7c00);
  return select(magnitude.above(0x7f800000u), 0x7fff, result | sign).resized(16);
}

Bits nearestBFloat16(const Real &value) {
  const Bits bits = value.bits(), rounded = (bits + 0x7fff + (bits.lshr(16) & 1)).lshr(16);
  return select((bits & 0x7fffffffu).above(0x7f800000u), 0x7fff, rounded).resized(16);
}

/// A double as a float, rounded to odd.
Real oddFloat(const Real &value) {
  const Real nearest = value.resized(32);
  return roundedToOdd(nearest, value - nearest.resized(64));
}

Bits nearest(const Real &value, const Layout &to) {
  if (to == sem::F32Layout)
    return value.resized(32).bits();
  const Real narrow = value.width() == 64 ? oddFloat(value) : value;
  return to == sem::F16Layout ? nearestHalf(narrow) : nearestBFloat16(narrow);
}

/// The nearest number, or the one beside it that is on the side where the mode rounds to.
Bits directed(const Real &value, const Layout &to, Rounding rounding) {
  const Bits near = nearest(value, to);
  const Real back = toHost(near, to).resized(value.width());
  const Bits negative = (near & signBitOf(to)) != 0;
  const Bits tooLarge = back > value, tooSmall = back < value;
  const Bits inward = near - 1, outward = near + 1;
  switch (rounding) {
  case Rounding::RZ: return select(select(negative, tooSmall, tooLarge), inward, near);
  case Rounding::RM: return select(tooLarge, select(negative, outward, inward), near);
  case Rounding::RP: return select(tooSmall, select(negative, inward, outward), near);
  default: return near;
  }
}

} // namespace

Real toHost(const Bits &a, const Layout &layout, bool anyNaN) {
  if (layout == sem::F16Layout)
    return halfToFloat(a, anyNaN);
  if (layout == sem::BF16Layout)
    return a.resized(32).shl(16).real();
  return a.real();
}

Real roundedToOdd(const Real &head, const Real &tail) {
  const Bits bits = head.bits(), up = tail.is(CmpInst::FCMP_OGT, 0.0), down = tail.is(CmpInst::FCMP_OLT, 0.0);
  const Bits odd = select(up ^ bits.isNegative(), bits + 1, bits - 1);
  return select((up | down) & ((bits & 1) == 0), odd, bits).real();
}

std::optional<Real> oddProductSum(const Real &a, const Real &b, const Real &c) {
#if defined(__x86_64__)
  static const bool selectsRounding = llvm::sys::getHostCPUFeatures().lookup("avx512f");
  constexpr unsigned Width = 16;
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(a.type());
  const unsigned lanes = vector ? vector->getNumElements() : 0;
  if (!selectsRounding || (lanes != Width && lanes != 2 * Width)) // two: of packed operands
    return std::nullopt;
  // Of the numbers below and above it, which are the same if it is one, the odd one. Of zeros, which are -0 and +0 here, the second.
  constexpr int Downward = 9, Upward = 10;
  llvm::IRBuilderBase &ir = a.builder();
  auto part = [&](const Real &whole, unsigned first) {
    llvm::SmallVector<int, Width> places;
    for (unsigned lane = first; lane < first + Width; ++lane)
      places.push_back(int(lane));
    return lanes == Width ? whole.value() : ir.CreateShuffleVector(whole.value(), places);
  };
  auto rounded = [&](unsigned first, int mode) {
    return ir.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vfmadd_ps_512, {},
                              {part(a, first), part(b, first), part(c, first), ir.getInt32(uint32_t(mode))});
  };
  auto odd = [&](unsigned first) {
    const Bits below = Real(ir, rounded(first, Downward)).bits(),
               above = Real(ir, rounded(first, Upward)).bits();
    return select((below & 1) != 0, below, above).real().value();
  };
  if (lanes == Width)
    return Real(ir, odd(0));
  llvm::SmallVector<int, 2 * Width> all;
  for (unsigned lane = 0; lane < lanes; ++lane)
    all.push_back(int(lane));
  return Real(ir, ir.CreateShuffleVector(odd(0), odd(Width), all));
#else
  (void)a, (void)b, (void)c;
  return std::nullopt;
#endif
}

Real lostInSum(const Real &a, const Real &b, const Real &sum) {
  const Real bPart = sum - a, aPart = sum - bPart;
  return (a - aPart) + (b - bPart);
}

Bits roundedTo(const Real &value, const Layout &to, Rounding rounding) {
  if (rounding == Rounding::RN)
    return nearest(value, to);
  // Rounding twice in one direction is the same as rounding once.
  if (value.width() == 64 && to.width() < 32)
    return directed(directed(value, sem::F32Layout, rounding).real(), to, rounding);
  return directed(value, to, rounding);
}

Bits roundedAndFlushed(const Real &value, const Layout &to, Rounding rounding) {
  // With the exponent lifted, tiny results are rounded as if they were normal (semantics::detail::isTiny).
  const bool half = to == sem::F16Layout;
  const double lift = half ? 0x1p16 : 0x1p64, leastNormal = half ? 0x1p-14 : 0x1p-126;
  const Bits result = roundedTo(value, to, rounding);
  const Bits lifted = magnitudeOf(roundedTo(value * lift, to, rounding), to);
  const Bits least = roundedTo(value.constant(leastNormal * lift), to, Rounding::RN);
  return select(lifted.below(least), result & signBitOf(to), result);
}

Real roundedToIntegral(const Real &value, Rounding rounding) {
  switch (rounding) {
  case Rounding::RZ: return value.call(llvm::Intrinsic::trunc);
  case Rounding::RM: return value.call(llvm::Intrinsic::floor);
  case Rounding::RP: return value.call(llvm::Intrinsic::ceil);
  default: return value.call(llvm::Intrinsic::roundeven);
  }
}

} // namespace heddle::jit
