// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Floating Point Instructions" for f32 and f64 (and packed f32x2).
#include "semantics/Approx.h"
#include "vm/Exec.h"

namespace heddle::vm {
namespace {

using ptx::Op;
using ptx::Type;

template <Weight W, auto F, class T> Handler one() { return perLane<W, F, T, T>; }
template <Weight W, auto F, class T> Handler two() { return perLane<W, F, T, T, T>; }
template <Weight W, auto F, class T> Handler three() { return perLane<W, F, T, T, T, T>; }

/// fma, with the host's instruction in code for wide lanes.
template <class T, sem::Rounding M, bool Ftz, bool Sat> struct FusedMultiplyAdd {
  T operator()(T a, T b, T c) const { return sem::fma<M, Ftz, Sat>(a, b, c); }
  T wide(T a, T b, T c) const { return sem::fma<M, Ftz, Sat, sem::FmaBy::Instruction>(a, b, c); }
};

template <class R> constexpr Weight weightOf = R::mode == sem::Rounding::RN ? Light : Heavy;

/// pick(rounding, ftz, sat) with all three as types.
template <class F> Handler forModes(Lowering &lo, F pick) {
  return forRounding(lo.instr->mods.rnd, [&](auto rounding) {
    return forBool(lo.has(ptx::Flag::Ftz), [&](auto ftz) {
      return forBool(lo.has(ptx::Flag::Sat), [&](auto sat) { return pick(rounding, ftz, sat); });
    });
  });
}

template <class T> Handler pickArithmetic(Lowering &lo) {
  return forModes(lo, [&](auto rounding, auto ftz, auto sat) -> Handler {
    using R = decltype(rounding);
    constexpr auto M = R::mode;
    constexpr bool Ftz = decltype(ftz)::value, Sat = decltype(sat)::value;
    constexpr Weight W = weightOf<R>;
    switch (lo.instr->op) {
    case Op::Add: return two<W, [](T a, T b) { return sem::add<M, Ftz, Sat>(a, b); }, T>();
    case Op::Sub: return two<W, [](T a, T b) { return sem::sub<M, Ftz, Sat>(a, b); }, T>();
    case Op::Mul: return two<W, [](T a, T b) { return sem::mul<M, Ftz, Sat>(a, b); }, T>();
    case Op::Mad:
    case Op::Fma: return three<W, FusedMultiplyAdd<T, M, Ftz, Sat>{}, T>();
    default: return nullptr;
    }
  });
}

template <class T> Handler pickDivision(Lowering &lo) {
  return forRounding(lo.instr->mods.rnd, [&](auto rounding) {
    return forBool(lo.has(ptx::Flag::Ftz), [&](auto ftz) -> Handler {
      using R = decltype(rounding);
      constexpr auto M = R::mode;
      constexpr bool Ftz = decltype(ftz)::value;
      constexpr Weight W = weightOf<R>;
      switch (lo.instr->op) {
      case Op::Div: return two<W, [](T a, T b) { return sem::div<M, Ftz>(a, b); }, T>();
      case Op::Rcp: return one<W, [](T a) { return sem::rcp<M, Ftz>(a); }, T>();
      case Op::Sqrt: return one<W, [](T a) { return sem::sqrt<M, Ftz>(a); }, T>();
      default: return nullptr;
      }
    });
  });
}

Handler pickApprox(Lowering &lo) {
  return forBool(lo.has(ptx::Flag::Ftz), [&](auto ftz) -> Handler {
    constexpr bool Ftz = decltype(ftz)::value;
    using F = float;
    switch (lo.instr->op) {
    case Op::Div:
      return lo.has(ptx::Flag::Full) ? two<Light, [](F a, F b) { return sem::divFull<Ftz>(a, b); }, F>()
                                     : two<Light, [](F a, F b) { return sem::divApprox<Ftz>(a, b); }, F>();
    case Op::Rcp: return one<Light, [](F a) { return sem::rcpApprox<Ftz>(a); }, F>();
    case Op::Sqrt: return one<Light, [](F a) { return sem::sqrtApprox<Ftz>(a); }, F>();
    case Op::Rsqrt: return one<Light, [](F a) { return sem::rsqrtApprox<Ftz>(a); }, F>();
    case Op::Sin: return one<Heavy, [](F a) { return sem::sinApprox<Ftz>(a); }, F>();
    case Op::Cos: return one<Heavy, [](F a) { return sem::cosApprox<Ftz>(a); }, F>();
    case Op::Lg2: return one<Heavy, [](F a) { return sem::lg2Approx<Ftz>(a); }, F>();
    case Op::Ex2: return one<Heavy, [](F a) { return sem::ex2Approx<Ftz>(a); }, F>();
    case Op::Tanh: return one<Heavy, [](F a) { return sem::tanhApprox(a); }, F>();
    default: return nullptr;
    }
  });
}

Handler pickApproxDouble(Lowering &lo) {
  const bool ftz = lo.has(ptx::Flag::Ftz);
  if (lo.instr->op == Op::Rcp)
    return one<Light, [](double a) { return sem::rcpApproxFtz(a); }, double>();
  if (lo.instr->op == Op::Rsqrt)
    return ftz ? one<Light, [](double a) { return sem::rsqrtApproxFtz(a); }, double>()
               : one<Light, [](double a) { return sem::rsqrtApprox(a); }, double>();
  return nullptr;
}

/// min and max; with three operands the third is combined with the result of the first two.
template <class T> Handler pickMinMax(Lowering &lo, bool threeOperands) {
  return forBool(lo.instr->op == Op::Max, [&](auto wantMax) {
    return forBool(lo.has(ptx::Flag::Ftz), [&](auto ftz) {
      return forBool(lo.has(ptx::Flag::PropagateNan), [&](auto nan) {
        return forBool(lo.has(ptx::Flag::XorSign), [&](auto xorSign) -> Handler {
          constexpr bool Max = decltype(wantMax)::value, Ftz = decltype(ftz)::value,
                         NaN = decltype(nan)::value, Xor = decltype(xorSign)::value;
          constexpr auto pick = [](T a, T b) { return sem::minMax<Ftz, NaN, Xor>(a, b, Max); };
          if (threeOperands)
            return three<Light, [](T a, T b, T c) { return decltype(pick){}(decltype(pick){}(a, b), c); },
                         T>();
          return two<Light, pick, T>();
        });
      });
    });
  });
}

template <class T> Handler pickSign(Lowering &lo) {
  return forBool(lo.has(ptx::Flag::Ftz), [&](auto ftz) -> Handler {
    constexpr bool Ftz = decltype(ftz)::value;
    switch (lo.instr->op) {
    case Op::Abs: return one<Light, [](T a) { return sem::abs(sem::flushIf<Ftz>(a)); }, T>();
    case Op::Neg: return one<Light, [](T a) { return sem::neg(sem::flushIf<Ftz>(a)); }, T>();
    case Op::CopySign: return two<Light, [](T a, T b) { return sem::copysign(a, b); }, T>();
    default: return nullptr;
    }
  });
}

// --- f32x2: two floats in a 64-bit register
// --------------------------------------------------------------------

template <class F, class... Packed> uint64_t perFloat(F f, Packed... operands) {
  float low = f(sem::floatOf(uint32_t(operands))...), high = f(sem::floatOf(uint32_t(operands >> 32))...);
  return uint64_t(sem::bitsOfFloat(high)) << 32 | sem::bitsOfFloat(low);
}

Handler pickPacked(Lowering &lo) {
  using P = uint64_t;
  return forModes(lo, [&](auto rounding, auto ftz, auto sat) -> Handler {
    constexpr auto M = decltype(rounding)::mode;
    constexpr bool Ftz = decltype(ftz)::value, Sat = decltype(sat)::value;
    constexpr auto add = [](float a, float b) { return sem::add<M, Ftz, Sat>(a, b); };
    constexpr auto sub = [](float a, float b) { return sem::sub<M, Ftz, Sat>(a, b); };
    constexpr auto mul = [](float a, float b) { return sem::mul<M, Ftz, Sat>(a, b); };
    constexpr auto fma = [](float a, float b, float c) { return sem::fma<M, Ftz, Sat>(a, b, c); };
    switch (lo.instr->op) {
    case Op::Add: return two<Heavy, [](P a, P b) { return perFloat(decltype(add){}, a, b); }, P>();
    case Op::Sub: return two<Heavy, [](P a, P b) { return perFloat(decltype(sub){}, a, b); }, P>();
    case Op::Mul: return two<Heavy, [](P a, P b) { return perFloat(decltype(mul){}, a, b); }, P>();
    case Op::Fma: return three<Heavy, [](P a, P b, P c) { return perFloat(decltype(fma){}, a, b, c); }, P>();
    default: return nullptr;
    }
  });
}

template <class T> Handler pick(Lowering &lo) {
  switch (lo.instr->op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Mad:
  case Op::Fma: return pickArithmetic<T>(lo);
  case Op::Min:
  case Op::Max: return pickMinMax<T>(lo, lo.ops.size() > 3);
  case Op::Abs:
  case Op::Neg:
  case Op::CopySign: return pickSign<T>(lo);
  case Op::Div:
  case Op::Rcp:
  case Op::Sqrt:
    if (!lo.has(ptx::Flag::Approx) && !lo.has(ptx::Flag::Full))
      return pickDivision<T>(lo);
    [[fallthrough]];
  default: return std::is_same_v<T, float> ? pickApprox(lo) : pickApproxDouble(lo);
  }
}

bool isArithmetic(Op op) {
  switch (op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Mad:
  case Op::Fma:
  case Op::Min:
  case Op::Max:
  case Op::Abs:
  case Op::Neg:
  case Op::CopySign:
  case Op::Div:
  case Op::Rcp:
  case Op::Sqrt:
  case Op::Rsqrt:
  case Op::Sin:
  case Op::Cos:
  case Op::Lg2:
  case Op::Ex2:
  case Op::Tanh: return true;
  default: return false;
  }
}

} // namespace

bool lowerFloat(Lowering &lo) {
  const Type type = lo.type();
  if (!isArithmetic(lo.instr->op) || (type != Type::F32 && type != Type::F64 && type != Type::F32X2) ||
      lo.type2() != Type::None)
    return false;
  Handler handler = type == Type::F32   ? pick<float>(lo)
                    : type == Type::F64 ? pick<double>(lo)
                                        : pickPacked(lo);
  if (!handler)
    return false;
  Loc locs[3] = {NoLoc, NoLoc, NoLoc};
  for (size_t i = 1; i < lo.ops.size() && i < 4; ++i)
    locs[i - 1] = lo.source(lo.ops[i], type);
  Loc dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(handler);
  in.dst = dst, in.a = locs[0], in.b = locs[1], in.c = locs[2];
  return true;
}

} // namespace heddle::vm
