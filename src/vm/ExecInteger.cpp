// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic Instructions".
#include "semantics/Integer.h"
#include "vm/Exec.h"

namespace heddle::vm {
namespace {

using ptx::Op;

template <auto F, class T, class... S> Handler light() { return perLane<Light, F, T, S...>; }

bool isInteger(ptx::Type type) {
  auto kind = ptx::kindOf(type);
  return kind == ptx::TypeKind::Unsigned || kind == ptx::TypeKind::Signed || kind == ptx::TypeKind::PackedInt;
}

// --- two operands
// ----------------------------------------------------------------------------------------------

Handler pickPacked(Lowering &lo) {
  const bool isSigned = lo.type() == ptx::Type::S16X2;
  auto pick = [&]<class T>(Tag<T>) -> Handler {
    switch (lo.instr->op) {
    case Op::Add:
      return light<[](uint32_t a, uint32_t b) { return sem::add16x2<T>(a, b); }, uint32_t, uint32_t,
                   uint32_t>();
    case Op::Min:
      return light<[](uint32_t a, uint32_t b) { return sem::min16x2<T>(a, b); }, uint32_t, uint32_t,
                   uint32_t>();
    case Op::Max:
      return light<[](uint32_t a, uint32_t b) { return sem::max16x2<T>(a, b); }, uint32_t, uint32_t,
                   uint32_t>();
    default: return nullptr;
    }
  };
  return isSigned ? pick(Tag<int16_t>{}) : pick(Tag<uint16_t>{});
}

Handler pickPackedRelu(Lowering &lo) {
  using U = uint32_t;
  if (lo.type() != ptx::Type::S16X2)
    return nullptr;
  return lo.instr->op == Op::Min ? light<sem::minRelu16x2, U, U, U>() : light<sem::maxRelu16x2, U, U, U>();
}

Handler pickBinary(Lowering &lo) {
  if (ptx::kindOf(lo.type()) == ptx::TypeKind::PackedInt)
    return lo.has(ptx::Flag::Relu) ? pickPackedRelu(lo) : pickPacked(lo);
  using I = int32_t;
  if (lo.has(ptx::Flag::Sat))
    return lo.instr->op == Op::Add   ? light<sem::addSat, I, I, I>()
           : lo.instr->op == Op::Sub ? light<sem::subSat, I, I, I>()
                                     : nullptr;
  if (lo.has(ptx::Flag::Relu))
    return lo.instr->op == Op::Min   ? light<sem::minRelu, I, I, I>()
           : lo.instr->op == Op::Max ? light<sem::maxRelu, I, I, I>()
                                     : nullptr;
  return forInteger(lo.type(), [&]<class T>(Tag<T>) -> Handler {
    switch (lo.instr->op) {
    case Op::Add: return light<[](T a, T b) { return sem::add(a, b); }, T, T, T>();
    case Op::Sub: return light<[](T a, T b) { return sem::sub(a, b); }, T, T, T>();
    case Op::Min: return light<[](T a, T b) { return sem::min(a, b); }, T, T, T>();
    case Op::Max: return light<[](T a, T b) { return sem::max(a, b); }, T, T, T>();
    case Op::Div: return perLane<Heavy, [](T a, T b) { return sem::div(a, b); }, T, T, T>;
    case Op::Rem: return perLane<Heavy, [](T a, T b) { return sem::rem(a, b); }, T, T, T>;
    default: return nullptr;
    }
  });
}

Handler pickUnary(Lowering &lo) {
  return forInteger(lo.type(), [&]<class T>(Tag<T>) -> Handler {
    if (lo.instr->op == Op::Abs)
      return light<[](T a) { return sem::abs(a); }, T, T>();
    return light<[](T a) { return sem::neg(a); }, T, T>();
  });
}

// --- products
// --------------------------------------------------------------------------------------------------

Handler pickMul(Lowering &lo) {
  return forInteger(lo.type(), [&]<class T>(Tag<T>) -> Handler {
    switch (lo.instr->mods.mul) {
    case ptx::MulMode::Hi: return light<[](T a, T b) { return sem::mulHi(a, b); }, T, T, T>();
    case ptx::MulMode::Wide:
      if constexpr (sizeof(T) < 8)
        return light<[](T a, T b) { return sem::mulWide(a, b); }, sem::Wider<T>, T, T>();
      return nullptr;
    default: return light<[](T a, T b) { return sem::mulLo(a, b); }, T, T, T>();
    }
  });
}

Handler pickMad(Lowering &lo) {
  if (lo.has(ptx::Flag::Sat))
    return light<sem::madHiSat, int32_t, int32_t, int32_t, int32_t>();
  return forInteger(lo.type(), [&]<class T>(Tag<T>) -> Handler {
    switch (lo.instr->mods.mul) {
    case ptx::MulMode::Hi: return light<[](T a, T b, T c) { return sem::madHi(a, b, c); }, T, T, T, T>();
    case ptx::MulMode::Wide:
      if constexpr (sizeof(T) < 8) {
        using W = sem::Wider<T>;
        return light<[](T a, T b, W c) { return sem::madWide(a, b, c); }, W, T, T, W>();
      }
      return nullptr;
    default: return light<[](T a, T b, T c) { return sem::madLo(a, b, c); }, T, T, T, T>();
    }
  });
}

Handler pick24(Lowering &lo) {
  const bool high = lo.instr->mods.mul == ptx::MulMode::Hi;
  auto pick = [&]<class T>(Tag<T>) -> Handler {
    if (lo.instr->op == Op::Mul24)
      return high ? light<[](T a, T b) { return sem::mul24Hi(a, b); }, T, T, T>()
                  : light<[](T a, T b) { return sem::mul24Lo(a, b); }, T, T, T>();
    if (lo.has(ptx::Flag::Sat))
      return light<sem::mad24HiSat, int32_t, int32_t, int32_t, int32_t>();
    return high ? light<[](T a, T b, T c) { return sem::mad24Hi(a, b, c); }, T, T, T, T>()
                : light<[](T a, T b, T c) { return sem::mad24Lo(a, b, c); }, T, T, T, T>();
  };
  return lo.type() == ptx::Type::S32 ? pick(Tag<int32_t>{}) : pick(Tag<uint32_t>{});
}

// --- with carry: the condition code is one bit per lane, stored in the warp
// ------------------------------------------

/// F(a, b, c, carryIn) returns value and carry. In.mode: 1 reads the carry, 2 writes it.
template <auto F, class T> Flow withCarry(Warp &warp, const Inst &in, uint32_t mask) {
  T *to = warp.row<T>(in.dst);
  const T *a = warp.row<T>(in.a), *b = warp.row<T>(in.b), *c = in.c == NoLoc ? a : warp.row<T>(in.c);
  const uint32_t before = in.mode & 1 ? warp.carry : 0;
  uint32_t after = warp.carry;
  eachLane(mask, [&](unsigned lane) {
    auto result = F(a[lane], b[lane], c[lane], before >> lane & 1);
    to[lane] = result.value;
    after = (after & ~(1u << lane)) | uint32_t(result.carry) << lane;
  });
  if (in.mode & 2)
    warp.carry = after;
  return Flow::Next;
}

Handler pickCarry(Lowering &lo) {
  return forInteger(lo.type(), [&]<class T>(Tag<T>) -> Handler {
    switch (lo.instr->op) {
    case Op::Add:
    case Op::AddC: return withCarry<[](T a, T b, T, bool in) { return sem::addCarry(a, b, in); }, T>;
    case Op::Sub:
    case Op::SubC: return withCarry<[](T a, T b, T, bool in) { return sem::subBorrow(a, b, in); }, T>;
    case Op::Mad:
    case Op::MadC:
      return lo.instr->mods.mul == ptx::MulMode::Hi
                 ? withCarry<[](T a, T b, T c, bool in) { return sem::madHiCarry(a, b, c, in); }, T>
                 : withCarry<[](T a, T b, T c, bool in) { return sem::madLoCarry(a, b, c, in); }, T>;
    default: return nullptr;
    }
  });
}

bool lowerCarry(Lowering &lo) {
  Handler handler = pickCarry(lo);
  if (!handler)
    return false;
  const bool three = lo.instr->op == Op::Mad || lo.instr->op == Op::MadC;
  const bool reads = lo.instr->op == Op::AddC || lo.instr->op == Op::SubC || lo.instr->op == Op::MadC;
  Loc a = lo.source(lo.ops[1], lo.type()), b = lo.source(lo.ops[2], lo.type());
  Loc c = three ? lo.source(lo.ops[3], lo.type()) : NoLoc;
  Loc dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(handler);
  in.dst = dst, in.a = a, in.b = b, in.c = c;
  in.mode = uint16_t(reads | (lo.has(ptx::Flag::CarryOut) ? 2 : 0));
  return true;
}

} // namespace

bool lowerInteger(Lowering &lo) {
  if (lo.instr->op == Op::Dp4a || lo.instr->op == Op::Dp2a || !isInteger(lo.type()))
    return false;
  const unsigned bits = ptx::bitsOf(lo.type());
  if (lo.has(ptx::Flag::CarryOut) || lo.instr->op == Op::AddC || lo.instr->op == Op::SubC ||
      lo.instr->op == Op::MadC)
    return lowerCarry(lo);
  Handler handler = nullptr;
  switch (lo.instr->op) {
  case Op::Add:
  case Op::Sub:
  case Op::Min:
  case Op::Max:
  case Op::Div:
  case Op::Rem:
    if (!(handler = pickBinary(lo)) || lo.ops.size() > 3)
      return false;
    emitSources(lo, handler, {bits, bits});
    return true;
  case Op::Abs:
  case Op::Neg:
    if (!(handler = pickUnary(lo)))
      return false;
    emitSources(lo, handler, {bits});
    return true;
  case Op::Mul:
    if (!(handler = pickMul(lo)))
      return false;
    emitSources(lo, handler, {bits, bits});
    return true;
  case Op::Mad:
    if (!(handler = pickMad(lo)))
      return false;
    emitSources(lo, handler, {bits, bits, lo.instr->mods.mul == ptx::MulMode::Wide ? 2 * bits : bits});
    return true;
  case Op::Mul24: emitSources(lo, pick24(lo), {32, 32}); return true;
  case Op::Mad24: emitSources(lo, pick24(lo), {32, 32, 32}); return true;
  case Op::Sad:
    handler = forInteger(lo.type(), []<class T>(Tag<T>) -> Handler {
      return light<[](T a, T b, T c) { return sem::sad(a, b, c); }, T, T, T, T>();
    });
    emitSources(lo, handler, {bits, bits, bits});
    return true;
  default: return false;
  }
}

} // namespace heddle::vm
