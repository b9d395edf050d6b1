// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "cvt" and "cvt.pack". A destination register may be wider than the type: the value is then
// sign- or zero-extended; a source register may be wider too: its low bits are used.
#include "semantics/Convert.h"
#include "semantics/Integer.h"
#include "vm/Exec.h"

namespace heddle::vm {
namespace {

using ptx::Op;
using ptx::Type;
using sem::BFloat16;
using sem::Half;

// --- registers of the type's own width; others are converted to it by a helper
// -----------------------------------

template <class T>
using Natural =
    std::conditional_t<sizeof(T) <= 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

template <class Reg, class T> Reg widenTo(T value) {
  if constexpr (std::is_integral_v<T>)
    return Reg(std::conditional_t<std::is_signed_v<T>, std::make_signed_t<Reg>, Reg>(value));
  else
    return Reg(sem::toBits(value));
}

/// How a conversion is compiled: Vector has a loop over full warps that the host's compiler can vectorize, Rare has none. Of the
/// hundreds of combinations of types, roundings and flags ordinary kernels use a few dozen; loops for all the others took longer
/// to compile than the rest of the simulator.
enum class Use { Vector, Rare };

template <auto F, class D, class S, Use U> Flow convert(Warp &warp, const Inst &in, uint32_t mask) {
  Natural<D> *to = warp.row<Natural<D>>(in.dst);
  const Natural<S> *from = warp.row<Natural<S>>(in.a);
  auto one = [&](unsigned lane) {
    if constexpr (std::is_integral_v<S>)
      return widenTo<Natural<D>>(D(F(S(from[lane]))));
    else
      return widenTo<Natural<D>>(D(F(sem::fromBits<S>(from[lane]))));
  };
  if constexpr (U == Use::Vector) {
    if (mask == AllLanes) {
      HEDDLE_EACH_LANE(lane) to[lane] = one(lane);
      return Flow::Next;
    }
  }
  eachLane(mask, [&](unsigned lane) { to[lane] = one(lane); });
  return Flow::Next;
}

/// What C++ conversions become: to integers toward zero, to floating-point numbers to nearest.
template <class D, class S, sem::Rounding M> constexpr Use useOf() {
  constexpr auto Usual = std::is_integral_v<D> ? sem::Rounding::RZ : sem::Rounding::RN;
  return M == Usual && sizeof(D) > 1 && sizeof(S) > 1 ? Use::Vector : Use::Rare;
}

template <auto F, class D, class S, Use U = Use::Vector> Handler fit() { return convert<F, D, S, U>; }

template <class D, class S> Handler resize() {
  return perLane<Light, [](S a) { return D(a); }, D, S>;
}

Handler wider(unsigned from, unsigned to, bool isSigned) {
  if (from == 16 && to == 32)
    return isSigned ? resize<int32_t, int16_t>() : resize<uint32_t, uint16_t>();
  if (from == 16)
    return isSigned ? resize<int64_t, int16_t>() : resize<uint64_t, uint16_t>();
  return isSigned ? resize<int64_t, int32_t>() : resize<uint64_t, uint32_t>();
}

// --- which conversion
// ------------------------------------------------------------------------------------------

template <class F> Handler forIntegerOrByte(Type type, F pick) {
  using enum Type;
  switch (type) {
  case U8:
  case B8: return pick(Tag<uint8_t>{});
  case S8: return pick(Tag<int8_t>{});
  case U16: return pick(Tag<uint16_t>{});
  case S16: return pick(Tag<int16_t>{});
  case U32: return pick(Tag<uint32_t>{});
  case S32: return pick(Tag<int32_t>{});
  case U64: return pick(Tag<uint64_t>{});
  case S64: return pick(Tag<int64_t>{});
  default: return nullptr;
  }
}

template <class F> Handler forFloat(Type type, F pick) {
  switch (type) {
  case Type::F16: return pick(Tag<Half>{});
  case Type::BF16: return pick(Tag<BFloat16>{});
  case Type::F32: return pick(Tag<float>{});
  case Type::F64: return pick(Tag<double>{});
  default: return nullptr;
  }
}

bool isFloatType(Type type) { return ptx::kindOf(type) == ptx::TypeKind::Float && type != Type::TF32; }
bool isIntegerType(Type type) {
  auto kind = ptx::kindOf(type);
  return kind == ptx::TypeKind::Unsigned || kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::Bits;
}

// What is the same for several combinations is compiled for one of them. That is a third of this file's compile time.

/// Bytes are held in registers of 16 bits, so their sign matters to the destination; that of the source does where it is narrower.
template <class D> using DestinationBits = std::conditional_t<sizeof(D) == 1, D, std::make_unsigned_t<D>>;
template <class D, class S>
using SourceBits = std::conditional_t<(sizeof(D) > sizeof(S)), S, std::make_unsigned_t<S>>;

Handler integerToInteger(Lowering &lo) {
  return forIntegerOrByte(lo.type(), [&]<class D>(Tag<D>) {
    return forIntegerOrByte(lo.type2(), [&]<class S>(Tag<S>) -> Handler {
      if (lo.has(ptx::Flag::Sat))
        return fit<[](S a) { return sem::convertIntegerSat<D>(a); }, D, S, Use::Rare>();
      using To = DestinationBits<D>;
      using From = SourceBits<D, S>;
      return fit<[](From a) { return sem::convertInteger<To>(a); }, To, From>();
    });
  });
}

/// .ftz is about single precision only.
template <bool Matters, class F> Handler forFtz(const Lowering &lo, F pick) {
  if constexpr (Matters)
    return forBool(lo.has(ptx::Flag::Ftz), pick);
  else
    return pick(std::false_type{});
}

Handler floatToInteger(Lowering &lo) {
  return forIntegerOrByte(lo.type(), [&]<class D>(Tag<D>) {
    return forFloat(lo.type2(), [&]<class S>(Tag<S>) {
      return forRounding(lo.instr->mods.rnd, [&](auto rounding) {
        return forFtz<std::is_same_v<S, float>>(lo, [&](auto ftz) -> Handler {
          constexpr auto M = decltype(rounding)::mode;
          constexpr bool Ftz = decltype(ftz)::value;
          return fit<[](S a) { return sem::convertToInteger<D, M, Ftz>(a); }, D, S, useOf<D, S, M>()>();
        });
      });
    });
  });
}

Handler integerToFloat(Lowering &lo) {
  return forFloat(lo.type(), [&]<class D>(Tag<D>) {
    return forIntegerOrByte(lo.type2(), [&]<class S>(Tag<S>) {
      return forRounding(lo.instr->mods.rnd, [&](auto rounding) -> Handler {
        constexpr auto M = decltype(rounding)::mode,
                       Any = sem::Rounding::RN; // saturated, an integer is 0 or 1
        return lo.has(ptx::Flag::Sat)
                   ? fit<[](S a) { return sem::convertFromInteger<D, Any, true>(a); }, D, S, Use::Rare>()
                   : fit<[](S a) { return sem::convertFromInteger<D, M, false>(a); }, D, S,
                         useOf<D, S, M>()>();
      });
    });
  });
}

bool roundsToIntegral(ptx::Rounding rounding) {
  using enum ptx::Rounding;
  return rounding == Rni || rounding == Rzi || rounding == Rmi || rounding == Rpi;
}

template <class D, class S, sem::Rounding M> Handler floatToFloatModes(Lowering &lo) {
  constexpr bool FtzMatters = std::is_same_v<D, float> || std::is_same_v<S, float> || std::is_same_v<D, S>;
  return forFtz<FtzMatters>(lo, [&](auto ftz) {
    return forBool(lo.has(ptx::Flag::Sat), [&](auto sat) -> Handler {
      constexpr bool Ftz = decltype(ftz)::value, Sat = decltype(sat)::value;
      if constexpr (std::is_same_v<D, S>) {
        if (roundsToIntegral(lo.instr->mods.rnd))
          return fit<[](S a) { return sem::convertToIntegral<M, Ftz, Sat>(a); }, D, S,
                     Sat ? Use::Rare : Use::Vector>();
      }
      if constexpr (std::is_same_v<S, float> && sizeof(D) == 2) {
        if (lo.has(ptx::Flag::Relu))
          return fit<[](S a) { return sem::convertRelu<D, M>(a); }, D, S>();
      }
      return fit<[](S a) { return sem::convertCarryingNaN<D, M, Ftz, Sat>(a); }, D, S,
                 Sat ? Use::Rare : useOf<D, S, M>()>();
    });
  });
}

Handler floatToFloat(Lowering &lo) {
  return forFloat(lo.type(), [&]<class D>(Tag<D>) {
    return forFloat(lo.type2(), [&]<class S>(Tag<S>) {
      return forRounding(lo.instr->mods.rnd, [&](auto rounding) {
        constexpr bool IsExact = sizeof(D) > sizeof(S);
        return floatToFloatModes<D, S, IsExact ? sem::Rounding::RN : decltype(rounding)::mode>(lo);
      });
    });
  });
}

// --- packed and narrow forms
// -----------------------------------------------------------------------------------

template <class T> Handler pairFromFloats(Lowering &lo) {
  using F = float;
  using U = uint32_t;
  const bool relu = lo.has(ptx::Flag::Relu), toZero = lo.instr->mods.rnd == ptx::Rounding::Rz;
  constexpr auto RN = sem::Rounding::RN, RZ = sem::Rounding::RZ;
  if (toZero)
    return relu ? perLane<Heavy, [](F a, F b) { return sem::convertPair<T, RZ, true>(a, b); }, U, F, F>
                : perLane<Heavy, [](F a, F b) { return sem::convertPair<T, RZ, false>(a, b); }, U, F, F>;
  return relu ? perLane<Heavy, [](F a, F b) { return sem::convertPair<T, RN, true>(a, b); }, U, F, F>
              : perLane<Heavy, [](F a, F b) { return sem::convertPair<T, RN, false>(a, b); }, U, F, F>;
}

Handler toTf32(Lowering &lo) {
  using F = float;
  using U = uint32_t;
  const bool relu = lo.has(ptx::Flag::Relu);
  switch (lo.instr->mods.rnd) {
  case ptx::Rounding::Rn:
    return relu ? perLane<Heavy, [](F a) { return sem::convertToTf32<sem::Rounding::RN, true>(a); }, U, F>
                : perLane<Heavy, [](F a) { return sem::convertToTf32<sem::Rounding::RN, false>(a); }, U, F>;
  case ptx::Rounding::Rz:
    return relu ? perLane<Heavy, [](F a) { return sem::convertToTf32<sem::Rounding::RZ, true>(a); }, U, F>
                : perLane<Heavy, [](F a) { return sem::convertToTf32<sem::Rounding::RZ, false>(a); }, U, F>;
  default: return perLane<Heavy, [](F a) { return sem::convertToTf32<>(a); }, U, F>;
  }
}

template <sem::Layout L> Handler toF8(Lowering &lo) {
  using F = float;
  const bool relu = lo.has(ptx::Flag::Relu);
  if (lo.type2() == Type::F32)
    return relu ? perLane<Heavy, [](F a, F b) { return sem::convertToF8Pair<L, true>(a, b); }, uint16_t, F, F>
                : perLane<Heavy, [](F a, F b) { return sem::convertToF8Pair<L, false>(a, b); }, uint16_t, F,
                          F>;
  if (lo.type2() != Type::F16X2)
    return nullptr;
  auto pick = [](auto isRelu) -> Handler {
    constexpr bool Relu = decltype(isRelu)::value;
    return perLane<Heavy,
                   [](uint32_t a) {
                     auto pair = sem::unpack<Half>(a);
                     return sem::convertToF8Pair<L, Relu>(sem::toDouble(pair.high), sem::toDouble(pair.low));
                   },
                   uint16_t, uint32_t>;
  };
  return relu ? pick(std::true_type{}) : pick(std::false_type{});
}

template <sem::Layout L> Handler fromF8(Lowering &lo) {
  return lo.has(ptx::Flag::Relu)
             ? perLane<Heavy, [](uint16_t a) { return sem::convertFromF8Pair<L, true>(a); }, uint32_t,
                       uint16_t>
             : perLane<Heavy, [](uint16_t a) { return sem::convertFromF8Pair<L, false>(a); }, uint32_t,
                       uint16_t>;
}

Handler pickPacked(Lowering &lo) {
  const Type to = lo.type(), from = lo.type2();
  const bool toByte = to == Type::E4M3X2 || to == Type::E5M2X2;
  if (lo.has(ptx::Flag::SatFinite) && !toByte)
    return nullptr; // the wider formats have no saturated forms
  if (to == Type::TF32 && from == Type::F32)
    return toTf32(lo);
  if (from == Type::F32 && to == Type::F16X2)
    return pairFromFloats<Half>(lo);
  if (from == Type::F32 && to == Type::BF16X2)
    return pairFromFloats<BFloat16>(lo);
  if (to == Type::E4M3X2)
    return toF8<sem::E4M3Layout>(lo);
  if (to == Type::E5M2X2)
    return toF8<sem::E5M2Layout>(lo);
  if (to == Type::F16X2 && from == Type::E4M3X2)
    return fromF8<sem::E4M3Layout>(lo);
  if (to == Type::F16X2 && from == Type::E5M2X2)
    return fromF8<sem::E5M2Layout>(lo);
  return nullptr;
}

bool lowerPacked(Lowering &lo) {
  Handler handler = pickPacked(lo);
  const size_t sources = lo.ops.size() - 1;
  if (!handler || sources > 2)
    return false;
  Loc a = lo.source(lo.ops[1], lo.type2()), b = sources > 1 ? lo.source(lo.ops[2], lo.type2()) : NoLoc;
  Loc dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(handler);
  in.dst = dst, in.a = a, in.b = b;
  return true;
}

// --- cvt.pack
// --------------------------------------------------------------------------------------------------

template <int Bits, bool Signed> Handler pack() {
  return perLane<Light,
                 [](int32_t a, int32_t b, uint32_t c) {
                   return sem::convertPackSat<int32_t>(a, b, c, Bits, Signed);
                 },
                 uint32_t, int32_t, int32_t, uint32_t>;
}
Handler pickPack(Type to) {
  using enum Type;
  switch (to) {
  case U16: return pack<16, false>();
  case S16: return pack<16, true>();
  case U8: return pack<8, false>();
  case S8: return pack<8, true>();
  case U4: return pack<4, false>();
  case S4: return pack<4, true>();
  case U2: return pack<2, false>();
  case S2: return pack<2, true>();
  default: return nullptr;
  }
}

bool lowerPack(Lowering &lo) {
  Handler handler = pickPack(lo.type());
  if (!handler)
    return false;
  Loc a = lo.source(lo.ops[1], 32), b = lo.source(lo.ops[2], 32);
  Loc c = lo.ops.size() > 3 ? lo.source(lo.ops[3], 32) : lo.constant(0, 32), dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(handler);
  in.dst = dst, in.a = a, in.b = b, in.c = c;
  return true;
}

} // namespace

Handler narrower(unsigned from, unsigned to) {
  if (from == 64)
    return to == 32 ? resize<uint32_t, uint64_t>() : resize<uint16_t, uint64_t>();
  return resize<uint16_t, uint32_t>();
}

bool lowerConvert(Lowering &lo) {
  if (lo.instr->op == Op::CvtPack)
    return lowerPack(lo);
  if (lo.instr->op != Op::Cvt)
    return false;
  const bool fromFloat = isFloatType(lo.type2()), toFloat = isFloatType(lo.type());
  if (!((fromFloat || isIntegerType(lo.type2())) && (toFloat || isIntegerType(lo.type()))) ||
      lo.ops.size() != 2 || lo.has(ptx::Flag::SatFinite))
    return lowerPacked(lo);
  Handler handler = fromFloat ? (toFloat ? floatToFloat(lo) : floatToInteger(lo))
                              : (toFloat ? integerToFloat(lo) : integerToInteger(lo));
  if (!handler)
    return false;
  const unsigned from = std::max(16u, ptx::bitsOf(lo.type2())), to = std::max(16u, ptx::bitsOf(lo.type()));
  const ptx::Operand &source = lo.ops[1];
  const unsigned held = source.isReg()                             ? lo.width(source)
                        : source.kind == ptx::OperandKind::Special ? std::max(32u, from)
                                                                   : from;
  Loc a = lo.source(source, held);
  if (held > from) {
    Loc low = lo.temporary(from);
    Inst &in = lo.emitHelper(narrower(held, from));
    in.dst = low, in.a = a;
    a = low;
  }
  const unsigned wanted = lo.isWritten(lo.ops[0]) ? lo.width(lo.ops[0]) : to;
  Loc dst = lo.dest(lo.ops[0]), result = wanted > to ? lo.temporary(to) : dst;
  Inst &in = lo.emit(handler);
  in.dst = result, in.a = a;
  if (wanted > to) {
    Inst &extend = lo.emit(wider(to, wanted, ptx::isSigned(lo.type())));
    extend.counts = 0;
    extend.dst = dst, extend.a = result;
  }
  return true;
}

} // namespace heddle::vm
