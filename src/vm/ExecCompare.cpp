// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Comparison and Selection Instructions": set, setp, selp, slct, and testp.
#include "vm/Exec.h"

namespace heddle::vm {
namespace {

using ptx::Op;
using ptx::Type;
using sem::Compare;

// --- the comparison itself, as a function that returns a mask
// ----------------------------------------------------

using Test = LaneTest;

template <Compare C> struct CompareTag {
  static constexpr Compare op = C;
};

template <class F> Test forCompare(ptx::CmpOp op, F pick) {
  using enum ptx::CmpOp;
  switch (op) {
  case Eq: return pick(CompareTag<Compare::Eq>{});
  case Ne: return pick(CompareTag<Compare::Ne>{});
  case Lt:
  case Lo: return pick(CompareTag<Compare::Lt>{});
  case Le:
  case Ls: return pick(CompareTag<Compare::Le>{});
  case Gt:
  case Hi: return pick(CompareTag<Compare::Gt>{});
  case Ge:
  case Hs: return pick(CompareTag<Compare::Ge>{});
  case Equ: return pick(CompareTag<Compare::Equ>{});
  case Neu: return pick(CompareTag<Compare::Neu>{});
  case Ltu: return pick(CompareTag<Compare::Ltu>{});
  case Leu: return pick(CompareTag<Compare::Leu>{});
  case Gtu: return pick(CompareTag<Compare::Gtu>{});
  case Geu: return pick(CompareTag<Compare::Geu>{});
  case Num: return pick(CompareTag<Compare::Num>{});
  case Nan: return pick(CompareTag<Compare::Nan>{});
  default: return nullptr;
  }
}

template <class T> Test pickInteger(ptx::CmpOp op) {
  return forCompare(op, [](auto tag) -> Test {
    return testLanes<[](T a, T b) { return sem::compare<decltype(tag)::op>(a, b); }, T, T>;
  });
}

template <class T> Test pickFloat(ptx::CmpOp op, bool ftz) {
  return forCompare(op, [&](auto tag) -> Test {
    constexpr Compare C = decltype(tag)::op;
    return ftz ? testLanes<[](T a, T b) { return sem::compare<C, true>(a, b); }, T, T>
               : testLanes<[](T a, T b) { return sem::compare<C, false>(a, b); }, T, T>;
  });
}

/// Unsigned words (lo, ls, hi, hs) compare unsigned whatever the type says.
Test pickTest(Type type, ptx::CmpOp op, bool ftz) {
  using enum Type;
  const bool unsignedWord =
      op == ptx::CmpOp::Lo || op == ptx::CmpOp::Ls || op == ptx::CmpOp::Hi || op == ptx::CmpOp::Hs;
  switch (type) {
  case U16:
  case B16: return pickInteger<uint16_t>(op);
  case S16: return unsignedWord ? pickInteger<uint16_t>(op) : pickInteger<int16_t>(op);
  case U32:
  case B32: return pickInteger<uint32_t>(op);
  case S32: return unsignedWord ? pickInteger<uint32_t>(op) : pickInteger<int32_t>(op);
  case U64:
  case B64: return pickInteger<uint64_t>(op);
  case S64: return unsignedWord ? pickInteger<uint64_t>(op) : pickInteger<int64_t>(op);
  case F16: return pickFloat<sem::Half>(op, ftz);
  case BF16: return pickFloat<sem::BFloat16>(op, ftz);
  case F32: return pickFloat<float>(op, ftz);
  case F64: return pickFloat<double>(op, false);
  default: return nullptr;
  }
}

// --- what is done with it
// --------------------------------------------------------------------------------------

uint32_t join(uint16_t how, uint32_t a, uint32_t b) {
  switch (ptx::BoolOp(how)) {
  case ptx::BoolOp::And: return a & b;
  case ptx::BoolOp::Or: return a | b;
  case ptx::BoolOp::Xor: return a ^ b;
  default: return a;
  }
}

/// The test of a comparison is kept in the instruction's imm: a function pointer chosen when it was lowered.
uint32_t runTest(Warp &warp, const Inst &in) { return reinterpret_cast<Test>(in.imm)(warp, in); }

Flow setp(Warp &warp, const Inst &in, uint32_t mask) {
  writePred(warp.pred(in.dst), runTest(warp, in), mask);
  return Flow::Next;
}

/// p|q with a predicate to combine: q is the result of the opposite comparison.
Flow setpFull(Warp &warp, const Inst &in, uint32_t mask) {
  const uint32_t holds = runTest(warp, in), c = in.c == NoLoc ? AllLanes : warp.pred(in.c);
  writePred(warp.pred(in.dst), join(in.mode, holds, c), mask);
  if (in.d != NoLoc)
    writePred(warp.pred(in.d), join(in.mode, ~holds, c), mask);
  return Flow::Next;
}

template <class T, T True> Flow set(Warp &warp, const Inst &in, uint32_t mask) {
  uint32_t holds = join(in.mode, runTest(warp, in), in.c == NoLoc ? AllLanes : warp.pred(in.c));
  T *to = warp.row<T>(in.dst);
  HEDDLE_EACH_LANE(lane)
  to[lane] = mask >> lane & 1 ? (holds >> lane & 1 ? True : T(0)) : to[lane];
  return Flow::Next;
}

Handler pickSet(Type to) {
  using enum Type;
  switch (to) {
  case U32:
  case S32: return set<uint32_t, ~0u>;
  case F32: return set<uint32_t, 0x3f800000u>;
  case U16:
  case S16: return set<uint16_t, 0xffff>;
  case F16: return set<uint16_t, 0x3c00>;
  case BF16: return set<uint16_t, 0x3f80>;
  default: return nullptr;
  }
}

// --- f16x2 and bf16x2: both halves
// ----------------------------------------------------------------------------

uint16_t halfOf(uint32_t packed, bool high) { return uint16_t(high ? packed >> 16 : packed); }

template <class T, bool High> Test pickHalfTest(ptx::CmpOp op, bool ftz) {
  return forCompare(op, [&](auto tag) -> Test {
    constexpr Compare C = decltype(tag)::op;
    using U = uint32_t;
    return ftz ? testLanes<[](U a, U b) {
      return sem::compare<C, true>(T{halfOf(a, High)}, T{halfOf(b, High)});
    },
                           U, U>
               : testLanes<[](U a, U b) {
                   return sem::compare<C, false>(T{halfOf(a, High)}, T{halfOf(b, High)});
                 },
                           U, U>;
  });
}

struct HalfTests {
  Test low, high;
};
HalfTests pickHalfTests(Type type, ptx::CmpOp op, bool ftz) {
  if (type == Type::F16X2)
    return {pickHalfTest<sem::Half, false>(op, ftz), pickHalfTest<sem::Half, true>(op, ftz)};
  return {pickHalfTest<sem::BFloat16, false>(op, ftz), pickHalfTest<sem::BFloat16, true>(op, ftz)};
}

/// setp.f16x2 p|q: p for the low halves, q for the high ones. The second test is in Code::locs, as two words.
Test secondTest(Warp &warp, const Inst &in) {
  const Loc *words = &warp.code().locs[in.extra];
  return reinterpret_cast<Test>(uint64_t(words[0]) | uint64_t(words[1]) << 32);
}

Flow setpPacked(Warp &warp, const Inst &in, uint32_t mask) {
  const uint32_t c = in.c == NoLoc ? AllLanes : warp.pred(in.c);
  const uint32_t low = runTest(warp, in), high = secondTest(warp, in)(warp, in);
  writePred(warp.pred(in.dst), join(in.mode, low, c), mask);
  if (in.d != NoLoc)
    writePred(warp.pred(in.d), join(in.mode, high, c), mask);
  return Flow::Next;
}

template <uint32_t True> Flow setPacked(Warp &warp, const Inst &in, uint32_t mask) {
  const uint32_t c = in.c == NoLoc ? AllLanes : warp.pred(in.c);
  const uint32_t low = join(in.mode, runTest(warp, in), c),
                 high = join(in.mode, secondTest(warp, in)(warp, in), c);
  uint32_t *to = warp.row<uint32_t>(in.dst);
  eachLane(mask, [&](unsigned lane) {
    to[lane] = (low >> lane & 1 ? True : 0) | (high >> lane & 1 ? True << 16 : 0);
  });
  return Flow::Next;
}

Handler pickSetPacked(Type to) {
  switch (to) {
  case Type::F16X2: return setPacked<0x3c00>;
  case Type::BF16X2: return setPacked<0x3f80>;
  default: return setPacked<0xffff>;
  }
}

bool isPackedHalf(Type type) { return type == Type::F16X2 || type == Type::BF16X2; }

bool lowerTest(Lowering &lo) {
  const bool isSetp = lo.instr->op == Op::Setp;
  const Type type = isSetp ? lo.type() : lo.type2();
  const bool ftz = lo.has(ptx::Flag::Ftz);
  const size_t first = isSetp ? 2 : 1; // setp has p and q in front
  const bool packed = isPackedHalf(type);
  HalfTests tests = packed ? pickHalfTests(type, lo.instr->mods.cmp, ftz)
                           : HalfTests{pickTest(type, lo.instr->mods.cmp, ftz), nullptr};
  if (!tests.low)
    return false;
  Loc a = lo.source(lo.ops[first], type), b = lo.source(lo.ops[first + 1], type);
  const bool joins = lo.ops.size() > first + 2;
  Loc c = joins ? lo.source(lo.ops[first + 2], 1) : NoLoc, p = lo.dest(lo.ops[0]);
  Loc q = isSetp && lo.isWritten(lo.ops[1]) ? lo.dest(lo.ops[1]) : NoLoc;
  Handler handler = isSetp ? (packed                ? setpPacked
                              : joins || q != NoLoc ? setpFull
                                                    : setp)
                           : (packed ? pickSetPacked(lo.type()) : pickSet(lo.type()));
  if (!handler)
    return false;
  Loc words[2] = {Loc(uint64_t(tests.high)), Loc(uint64_t(tests.high) >> 32)};
  Inst &in = lo.emit(handler);
  in.dst = p, in.a = a, in.b = b, in.c = c, in.d = q;
  in.imm = int64_t(tests.low);
  in.mode = uint16_t(joins ? lo.instr->mods.boolOp : ptx::BoolOp::None);
  if (packed)
    in.extra = lo.addLocs(words);
  return true;
}

// --- selection
// -------------------------------------------------------------------------------------------------

template <class T> Flow selp(Warp &warp, const Inst &in, uint32_t mask) {
  T *to = warp.row<T>(in.dst);
  const T *a = warp.row<T>(in.a), *b = warp.row<T>(in.b);
  const uint32_t p = warp.pred(in.c);
  HEDDLE_EACH_LANE(lane) {
    T value = p >> lane & 1 ? a[lane] : b[lane];
    to[lane] = mask >> lane & 1 ? value : to[lane];
  }
  return Flow::Next;
}

template <class T> Handler pickSlct(Lowering &lo) {
  if (lo.type2() == Type::S32)
    return perLane<Light, [](T a, T b, int32_t c) { return c >= 0 ? a : b; }, T, T, T, int32_t>;
  return lo.has(ptx::Flag::Ftz)
             ? perLane<Light, [](T a, T b, float c) { return sem::flushSubnormal(c) >= 0 ? a : b; }, T, T, T,
                       float>
             : perLane<Light, [](T a, T b, float c) { return c >= 0 ? a : b; }, T, T, T, float>;
}

template <class F> Handler bySize(Type type, F pick) {
  switch (ptx::bitsOf(type)) {
  case 16: return pick(Tag<uint16_t>{});
  case 32: return pick(Tag<uint32_t>{});
  case 64: return pick(Tag<uint64_t>{});
  default: return nullptr;
  }
}

bool lowerSelect(Lowering &lo) {
  const bool isSelp = lo.instr->op == Op::Selp;
  Handler handler =
      bySize(lo.type(), [&]<class T>(Tag<T>) -> Handler { return isSelp ? selp<T> : pickSlct<T>(lo); });
  if (!handler)
    return false;
  Loc a = lo.source(lo.ops[1], lo.type()), b = lo.source(lo.ops[2], lo.type());
  Loc c = lo.source(lo.ops[3], isSelp ? 1 : 32), dst = lo.dest(lo.ops[0]);
  Inst &in = lo.emit(handler);
  in.dst = dst, in.a = a, in.b = b, in.c = c;
  return true;
}

// --- testp
// -----------------------------------------------------------------------------------------------------

template <class T> Flow testp(Warp &warp, const Inst &in, uint32_t mask) {
  const T *a = warp.row<T>(in.a);
  uint32_t holds = 0;
  for (unsigned lane = 0; lane < Lanes; ++lane)
    holds |= uint32_t(sem::testp(a[lane], sem::FloatClass(in.mode))) << lane;
  writePred(warp.pred(in.dst), holds, mask);
  return Flow::Next;
}

static_assert(unsigned(ptx::TestpOp::Finite) == unsigned(sem::FloatClass::Finite) + 1 &&
              unsigned(ptx::TestpOp::Subnormal) == unsigned(sem::FloatClass::Subnormal) + 1);

} // namespace

bool lowerCompare(Lowering &lo) {
  switch (lo.instr->op) {
  case Op::Set:
  case Op::Setp: return lowerTest(lo);
  case Op::Selp:
  case Op::Slct: return lowerSelect(lo);
  case Op::TestP: {
    Loc a = lo.source(lo.ops[1], lo.type()), dst = lo.dest(lo.ops[0]);
    Inst &in = lo.emit(lo.type() == Type::F32 ? testp<float> : testp<double>);
    in.dst = dst, in.a = a, in.mode = uint16_t(unsigned(lo.instr->mods.testp) - 1);
    return true;
  }
  default: return false;
  }
}

} // namespace heddle::vm
