// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Half Precision Floating Point Instructions" and mixed-precision add, sub, fma: f16, bf16 and two
// of them packed in a 32-bit register.
#include "semantics/Approx.h"
#include "vm/Exec.h"

namespace heddle::vm {
namespace {

using ptx::Op;
using ptx::Type;

/// F on values of T, or on both halves of packed operands.
template <bool Packed, class T, auto F, unsigned Count, Weight W> Handler lift() {
  using R = std::conditional_t<Packed, uint32_t, T>;
  if constexpr (Packed) {
    if constexpr (Count == 1)
      return perLane<W, [](R a) HEDDLE_INLINE_LAMBDA { return sem::perHalf<T>(F, a); }, R, R>;
    else if constexpr (Count == 2)
      return perLane<W, [](R a, R b) HEDDLE_INLINE_LAMBDA { return sem::perHalf<T>(F, a, b); }, R, R, R>;
    else
      return perLane<W, [](R a, R b, R c) HEDDLE_INLINE_LAMBDA { return sem::perHalf<T>(F, a, b, c); }, R, R,
                     R, R>;
  } else {
    if constexpr (Count == 1)
      return perLane<W, F, R, R>;
    else if constexpr (Count == 2)
      return perLane<W, F, R, R, R>;
    else
      return perLane<W, F, R, R, R, R>;
  }
}

/// Vector code for the usual forms only: for all of them this file took more than twice as long to compile.
template <bool Packed, class T, bool Ftz, bool Sat> Handler pickArithmetic(Lowering &lo) {
  constexpr auto RN = sem::Rounding::RN;
  constexpr Weight W = Ftz || Sat ? Heavy : Light;
  switch (lo.instr->op) {
  case Op::Add:
    return lift<Packed, T, [](T a, T b) HEDDLE_INLINE_LAMBDA { return sem::add<RN, Ftz, Sat>(a, b); }, 2,
                W>();
  case Op::Sub:
    return lift<Packed, T, [](T a, T b) HEDDLE_INLINE_LAMBDA { return sem::sub<RN, Ftz, Sat>(a, b); }, 2,
                W>();
  case Op::Mul:
    return lift<Packed, T, [](T a, T b) HEDDLE_INLINE_LAMBDA { return sem::mul<RN, Ftz, Sat>(a, b); }, 2,
                W>();
  case Op::Fma:
    return lo.has(ptx::Flag::Relu)
               ? lift<Packed, T,
                      [](T a, T b, T c)
                          HEDDLE_INLINE_LAMBDA { return sem::fma<RN, Ftz, Sat, true>(a, b, c); },
                      3, W>()
               : lift<Packed, T,
                      [](T a, T b, T c)
                          HEDDLE_INLINE_LAMBDA { return sem::fma<RN, Ftz, Sat, false>(a, b, c); },
                      3, W>();
  case Op::Abs: return lift<Packed, T, [](T a) { return sem::abs(sem::flushIf<Ftz>(a)); }, 1, W>();
  case Op::Neg: return lift<Packed, T, [](T a) { return sem::neg(sem::flushIf<Ftz>(a)); }, 1, W>();
  case Op::Ex2: return lift<Packed, T, [](T a) { return sem::ex2Approx<Ftz>(a); }, 1, Heavy>();
  case Op::Tanh: return lift<Packed, T, [](T a) { return sem::tanhApprox(a); }, 1, Heavy>();
  default: return nullptr;
  }
}

template <bool Packed, class T> Handler pickMinMax(Lowering &lo) {
  return forBool(lo.instr->op == Op::Max, [&](auto wantMax) {
    return forBool(lo.has(ptx::Flag::Ftz), [&](auto ftz) {
      return forBool(lo.has(ptx::Flag::PropagateNan), [&](auto nan) {
        return forBool(lo.has(ptx::Flag::XorSign), [&](auto xorSign) -> Handler {
          constexpr bool Max = decltype(wantMax)::value, Ftz = decltype(ftz)::value,
                         NaN = decltype(nan)::value, Xor = decltype(xorSign)::value;
          return lift<Packed, T, [](T a, T b) { return sem::minMax<Ftz, NaN, Xor>(a, b, Max); }, 2,
                      Ftz || Xor ? Heavy : Light>();
        });
      });
    });
  });
}

template <bool Packed, class T> Handler pick(Lowering &lo) {
  if (lo.instr->op == Op::Min || lo.instr->op == Op::Max)
    return lo.ops.size() > 3 ? nullptr : pickMinMax<Packed, T>(lo);
  return forBool(lo.has(ptx::Flag::Ftz), [&](auto ftz) {
    return forBool(lo.has(ptx::Flag::Sat), [&](auto sat) -> Handler {
      return pickArithmetic<Packed, T, decltype(ftz)::value, decltype(sat)::value>(lo);
    });
  });
}

// --- mixed precision: add.f32.f16 d, a, c: a is narrow, the rest f32
// ----------------------------------------

template <class T> Handler pickMixed(Lowering &lo) {
  using F = float;
  return forRounding(lo.instr->mods.rnd, [&](auto rounding) {
    return forBool(lo.has(ptx::Flag::Sat), [&](auto sat) -> Handler {
      constexpr auto M = decltype(rounding)::mode;
      constexpr bool Sat = decltype(sat)::value;
      switch (lo.instr->op) {
      case Op::Add:
        return perLane<Heavy, [](T a, F c) { return sem::add<M, false, Sat>(sem::toFloat(a), c); }, F, T, F>;
      case Op::Sub:
        return perLane<Heavy, [](T a, F c) { return sem::sub<M, false, Sat>(sem::toFloat(a), c); }, F, T, F>;
      case Op::Fma:
        return perLane<
            Heavy, [](T a, T b, F c) { return sem::fma<M, false, Sat>(sem::toFloat(a), sem::toFloat(b), c); },
            F, T, T, F>;
      default: return nullptr;
      }
    });
  });
}

bool lowerMixed(Lowering &lo) {
  if (lo.type() != Type::F32)
    return false;
  Handler handler = lo.type2() == Type::F16 ? pickMixed<sem::Half>(lo) : pickMixed<sem::BFloat16>(lo);
  if (!handler)
    return false;
  const bool isFma = lo.instr->op == Op::Fma;
  Loc a = lo.source(lo.ops[1], 16), b = lo.source(lo.ops[2], isFma ? 16 : 32);
  Loc c = isFma ? lo.source(lo.ops[3], 32) : NoLoc, dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(handler);
  in.dst = dst, in.a = a, in.b = b, in.c = c;
  return true;
}

bool isArithmetic(Op op) {
  switch (op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Fma:
  case Op::Min:
  case Op::Max:
  case Op::Abs:
  case Op::Neg:
  case Op::Ex2:
  case Op::Tanh: return true;
  default: return false;
  }
}

} // namespace

bool lowerHalf(Lowering &lo) {
  if (!isArithmetic(lo.instr->op))
    return false;
  if (lo.type2() == Type::F16 || lo.type2() == Type::BF16)
    return lowerMixed(lo);
  Handler handler = nullptr;
  switch (lo.type()) {
  case Type::F16: handler = pick<false, sem::Half>(lo); break;
  case Type::BF16: handler = pick<false, sem::BFloat16>(lo); break;
  case Type::F16X2: handler = pick<true, sem::Half>(lo); break;
  case Type::BF16X2: handler = pick<true, sem::BFloat16>(lo); break;
  default: return false;
  }
  if (!handler)
    return false;
  Loc locs[3] = {NoLoc, NoLoc, NoLoc};
  for (size_t i = 1; i < lo.ops.size() && i < 4; ++i)
    locs[i - 1] = lo.source(lo.ops[i], lo.type());
  Loc dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(handler);
  in.dst = dst, in.a = locs[0], in.b = locs[1], in.c = locs[2];
  return true;
}

} // namespace heddle::vm
