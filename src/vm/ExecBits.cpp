// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Logic and Shift Instructions" and the bit-field and dot-product part of the integer ones.
#include "semantics/Bits.h"
#include "vm/Exec.h"

namespace heddle::vm {
namespace {

using ptx::Op;
using U = uint32_t;

// --- predicates as masks
// ---------------------------------------------------------------------------------------

template <auto F> Flow onPreds(Warp &warp, const Inst &in, uint32_t mask) {
  const uint32_t b = in.b == NoLoc ? 0 : warp.pred(in.b);
  writePred(warp.pred(in.dst), F(warp.pred(in.a), b), mask);
  return Flow::Next;
}

Handler pickPredLogic(Op op) {
  switch (op) {
  case Op::And: return onPreds<[](U a, U b) { return a & b; }>;
  case Op::Or: return onPreds<[](U a, U b) { return a | b; }>;
  case Op::Xor: return onPreds<[](U a, U b) { return a ^ b; }>;
  case Op::Not: return onPreds<[](U a, U) { return ~a; }>;
  default: return nullptr;
  }
}

Handler pickLogic(Lowering &lo) {
  return forInteger(lo.type(), [&]<class T>(Tag<T>) -> Handler {
    switch (lo.instr->op) {
    case Op::And: return perLane<Light, [](T a, T b) { return T(a & b); }, T, T, T>;
    case Op::Or: return perLane<Light, [](T a, T b) { return T(a | b); }, T, T, T>;
    case Op::Xor: return perLane<Light, [](T a, T b) { return T(a ^ b); }, T, T, T>;
    case Op::Not: return perLane<Light, [](T a) { return T(~a); }, T, T>;
    case Op::CNot: return perLane<Light, [](T a) { return sem::cnot(a); }, T, T>;
    default: return nullptr;
    }
  });
}

// --- three-input logic: the table is part of the instruction
// ---------------------------------------------------

Flow lop3(Warp &warp, const Inst &in, uint32_t mask) {
  U *to = warp.row<U>(in.dst);
  const U *a = warp.row<U>(in.a), *b = warp.row<U>(in.b), *c = warp.row<U>(in.c);
  const uint8_t table = uint8_t(in.imm);
  uint32_t nonzero = 0;
  HEDDLE_EACH_LANE(lane) {
    U value = sem::lop3(a[lane], b[lane], c[lane], table);
    nonzero |= value ? 1u << lane : 0;
    to[lane] = mask >> lane & 1 ? value : to[lane];
  }
  if (in.d != NoLoc) { // lop3.and/.or: d|p, with q as in.extra
    const uint32_t q = in.extra == NoLoc ? 0 : warp.pred(in.extra);
    writePred(warp.pred(in.d), in.mode == 1 ? nonzero & q : nonzero | q, mask);
  }
  return Flow::Next;
}

bool lowerLop3(Lowering &lo) {
  // d, |p, a, b, c, table, q
  Loc a = lo.source(lo.ops[2], 32), b = lo.source(lo.ops[3], 32), c = lo.source(lo.ops[4], 32);
  Loc q = lo.ops.size() > 6 ? lo.source(lo.ops[6], 1) : NoLoc;
  Loc dst = lo.dest(lo.ops[0]), pred = lo.isWritten(lo.ops[1]) ? lo.dest(lo.ops[1]) : NoLoc;
  Inst &in = lo.emit(lop3);
  in.dst = dst, in.a = a, in.b = b, in.c = c, in.d = pred, in.extra = q;
  in.imm = int64_t(lo.ops[5].value);
  in.mode = lo.instr->mods.boolOp == ptx::BoolOp::And ? 1 : 2;
  return true;
}

// --- shifts
// ----------------------------------------------------------------------------------------------------

Handler pickShift(Lowering &lo) {
  return forInteger(lo.type(), [&]<class T>(Tag<T>) -> Handler {
    if (lo.instr->op == Op::Shl)
      return perLane<Light, [](T a, U n) { return sem::shl(a, n); }, T, T, U>;
    return perLane<Light, [](T a, U n) { return sem::shr(a, n); }, T, T, U>;
  });
}

Handler pickFunnel(Lowering &lo) {
  using enum sem::ShiftMode;
  const bool wraps = lo.instr->mods.wrap == ptx::WrapMode::Wrap;
  if (lo.instr->mods.dir == ptx::ShiftDir::Left)
    return wraps
               ? perLane<Light, [](U a, U b, U n) { return sem::funnelShiftLeft(a, b, n, Wrap); }, U, U, U, U>
               : perLane<Light, [](U a, U b, U n) { return sem::funnelShiftLeft(a, b, n, Clamp); }, U, U, U,
                         U>;
  return wraps
             ? perLane<Light, [](U a, U b, U n) { return sem::funnelShiftRight(a, b, n, Wrap); }, U, U, U, U>
             : perLane<Light, [](U a, U b, U n) { return sem::funnelShiftRight(a, b, n, Clamp); }, U, U, U,
                       U>;
}

// --- counting, fields, bytes
// -----------------------------------------------------------------------------------

Handler pickCount(Lowering &lo) {
  return forWord(lo.type(), [&]<class T>(Tag<T>) -> Handler {
    switch (lo.instr->op) {
    case Op::Popc: return perLane<Light, [](T a) { return sem::popc(a); }, U, T>;
    case Op::Clz: return perLane<Light, [](T a) { return sem::clz(a); }, U, T>;
    case Op::Bfind:
      return lo.has(ptx::Flag::ShiftAmt) ? perLane<Light, [](T a) { return sem::bfindShiftAmount(a); }, U, T>
                                         : perLane<Light, [](T a) { return sem::bfind(a); }, U, T>;
    case Op::Brev: return perLane<Light, [](T a) { return T(sem::brev(sem::Unsigned<T>(a))); }, T, T>;
    default: return nullptr;
    }
  });
}

template <sem::PermuteMode M> Handler permute() {
  return perLane<Light, [](U a, U b, U c) { return sem::prmt(a, b, c, M); }, U, U, U, U>;
}
Handler pickPermute(ptx::PrmtMode mode) {
  using enum sem::PermuteMode;
  switch (mode) {
  case ptx::PrmtMode::F4e: return permute<Forward4Extract>();
  case ptx::PrmtMode::B4e: return permute<Backward4Extract>();
  case ptx::PrmtMode::Rc8: return permute<Replicate8>();
  case ptx::PrmtMode::Ecl: return permute<EdgeClampLeft>();
  case ptx::PrmtMode::Ecr: return permute<EdgeClampRight>();
  case ptx::PrmtMode::Rc16: return permute<Replicate16>();
  default: return permute<Index>();
  }
}

template <class A, class B> Handler dot(Lowering &lo) {
  if (lo.instr->op == Op::Dp4a)
    return perLane<Light, [](U a, U b, U c) { return U(sem::dp4a<A, B>(a, b, int32_t(c))); }, U, U, U, U>;
  using A16 = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
  return lo.instr->mods.mul == ptx::MulMode::Hi
             ? perLane<Light, [](U a, U b, U c) { return U(sem::dp2a<A16, B>(a, b, int32_t(c), true)); }, U,
                       U, U, U>
             : perLane<Light, [](U a, U b, U c) { return U(sem::dp2a<A16, B>(a, b, int32_t(c), false)); }, U,
                       U, U, U>;
}
Handler pickDot(Lowering &lo) {
  const bool a = lo.type() == ptx::Type::S32, b = lo.type2() == ptx::Type::S32;
  return a ? (b ? dot<int8_t, int8_t>(lo) : dot<int8_t, uint8_t>(lo))
           : (b ? dot<uint8_t, int8_t>(lo) : dot<uint8_t, uint8_t>(lo));
}

} // namespace

bool lowerBits(Lowering &lo) {
  using enum sem::ShiftMode;
  const unsigned bits = ptx::bitsOf(lo.type());
  const bool wraps = lo.instr->mods.wrap == ptx::WrapMode::Wrap;
  switch (lo.instr->op) {
  case Op::And:
  case Op::Or:
  case Op::Xor:
    emitSources(lo, lo.type() == ptx::Type::Pred ? pickPredLogic(lo.instr->op) : pickLogic(lo), {bits, bits});
    return true;
  case Op::Not:
  case Op::CNot:
    emitSources(lo, lo.type() == ptx::Type::Pred ? pickPredLogic(lo.instr->op) : pickLogic(lo), {bits});
    return true;
  case Op::Lop3: return lowerLop3(lo);
  case Op::Shl:
  case Op::Shr: emitSources(lo, pickShift(lo), {bits, 32}); return true;
  case Op::Shf: emitSources(lo, pickFunnel(lo), {32, 32, 32}); return true;
  case Op::Popc:
  case Op::Clz:
  case Op::Bfind:
  case Op::Brev: emitSources(lo, pickCount(lo), {bits}); return true;
  case Op::Fns:
    emitSources(lo,
                perLane<Heavy, [](U m, U base, U n) { return sem::fns(m, base, int32_t(n)); }, U, U, U, U>,
                {32, 32, 32});
    return true;
  case Op::Bfe:
    emitSources(
        lo,
        forWord(lo.type(),
                []<class T>(Tag<T>) -> Handler {
                  return perLane<Light, [](T a, U at, U n) { return sem::bfe(a, at, n); }, T, T, U, U>;
                }),
        {bits, 32, 32});
    return true;
  case Op::Bfi:
    emitSources(
        lo,
        forWord(
            lo.type(),
            []<class T>(Tag<T>) -> Handler {
              return perLane<Light, [](T a, T b, U at, U n) { return sem::bfi(a, b, at, n); }, T, T, T, U, U>;
            }),
        {bits, bits, 32, 32});
    return true;
  case Op::Szext:
    emitSources(
        lo,
        forWord(lo.type(),
                [&]<class T>(Tag<T>) -> Handler {
                  return wraps ? perLane<Light, [](T a, U n) { return sem::szext(a, n, Wrap); }, T, T, U>
                               : perLane<Light, [](T a, U n) { return sem::szext(a, n, Clamp); }, T, T, U>;
                }),
        {32, 32});
    return true;
  case Op::Bmsk:
    emitSources(lo,
                wraps ? perLane<Light, [](U a, U n) { return sem::bmsk(a, n, Wrap); }, U, U, U>
                      : perLane<Light, [](U a, U n) { return sem::bmsk(a, n, Clamp); }, U, U, U>,
                {32, 32});
    return true;
  case Op::Prmt: emitSources(lo, pickPermute(lo.instr->mods.prmt), {32, 32, 32}); return true;
  case Op::Dp4a:
  case Op::Dp2a: emitSources(lo, pickDot(lo), {32, 32, 32}); return true;
  default: return false;
  }
}

} // namespace heddle::vm
