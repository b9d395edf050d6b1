// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Comparison and Selection Instructions": set, setp, selp, slct, and testp.
#include "jit/Emitters.h"
#include "jit/Formats.h"

#include <optional>

namespace heddle::jit {
namespace {

using llvm::CmpInst;
using ptx::CmpOp;
using ptx::Op;
using ptx::Type;
using sem::Layout;

/// A comparison of PTX as LLVM has it, for each kind of operands; BAD where there is none.
struct Predicates {
  CmpInst::Predicate ofSigned, ofUnsigned, ofReal;
};

Predicates predicatesOf(CmpOp op) {
  using enum CmpInst::Predicate;
  constexpr auto None = BAD_ICMP_PREDICATE;
  switch (op) {
  case CmpOp::Eq: return {ICMP_EQ, ICMP_EQ, FCMP_OEQ};
  case CmpOp::Ne: return {ICMP_NE, ICMP_NE, FCMP_ONE};
  case CmpOp::Lt: return {ICMP_SLT, ICMP_ULT, FCMP_OLT};
  case CmpOp::Le: return {ICMP_SLE, ICMP_ULE, FCMP_OLE};
  case CmpOp::Gt: return {ICMP_SGT, ICMP_UGT, FCMP_OGT};
  case CmpOp::Ge: return {ICMP_SGE, ICMP_UGE, FCMP_OGE};
  // These compare unsigned whatever the type says.
  case CmpOp::Lo: return {ICMP_ULT, ICMP_ULT, FCMP_OLT};
  case CmpOp::Ls: return {ICMP_ULE, ICMP_ULE, FCMP_OLE};
  case CmpOp::Hi: return {ICMP_UGT, ICMP_UGT, FCMP_OGT};
  case CmpOp::Hs: return {ICMP_UGE, ICMP_UGE, FCMP_OGE};
  case CmpOp::Equ: return {None, None, FCMP_UEQ};
  case CmpOp::Neu: return {None, None, FCMP_UNE};
  case CmpOp::Ltu: return {None, None, FCMP_ULT};
  case CmpOp::Leu: return {None, None, FCMP_ULE};
  case CmpOp::Gtu: return {None, None, FCMP_UGT};
  case CmpOp::Geu: return {None, None, FCMP_UGE};
  case CmpOp::Num: return {None, None, FCMP_ORD};
  case CmpOp::Nan: return {None, None, FCMP_UNO};
  default: return {None, None, None};
  }
}

bool isPackedHalf(Type type) { return type == Type::F16X2 || type == Type::BF16X2; }

using Test = std::function<Bits(Bits, Bits)>;

/// The comparison of one value of each operand.
Test testOf(const Form &form, Type type) {
  const Predicates how = predicatesOf(form.instr.mods.cmp);
  if (isInteger(type)) {
    const auto predicate = ptx::isSigned(type) ? how.ofSigned : how.ofUnsigned;
    if (predicate == CmpInst::BAD_ICMP_PREDICATE)
      return {};
    return [=](Bits a, Bits b) { return a.is(predicate, b); };
  }
  const Layout layout = layoutOf(type);
  const bool ftz = form.has(ptx::Flag::Ftz) && layout != F64Layout;
  return [=](Bits a, Bits b) {
    return toHost(flushedIf(ftz, a, layout), layout)
        .is(how.ofReal, toHost(flushedIf(ftz, b, layout), layout));
  };
}

Bits joined(ptx::BoolOp how, const Bits &holds, Sources from) {
  if (from.size() < 3)
    return holds;
  switch (how) {
  case ptx::BoolOp::And: return holds & from[2];
  case ptx::BoolOp::Or: return holds | from[2];
  case ptx::BoolOp::Xor: return holds ^ from[2];
  default: return holds;
  }
}

/// What a comparison yields for both halves of packed operands, or once, with its opposite (the q of setp p|q).
Results holdsOf(const Test &test, bool packed, ptx::BoolOp how, Sources from) {
  const Bits &a = from[0], &b = from[1];
  if (!packed) {
    const Bits holds = test(a, b);
    return {joined(how, holds, from), joined(how, ~holds, from)};
  }
  const Bits low = test(a.resized(16), b.resized(16));
  const Bits high = test(a.lshr(16).resized(16), b.lshr(16).resized(16));
  return {joined(how, low, from), joined(how, high, from)};
}

/// What set writes where the comparison holds.
std::optional<uint64_t> truthOf(Type type) {
  using enum Type;
  switch (type) {
  case U32:
  case S32: return ~0u;
  case F32: return 0x3f800000u;
  case U16:
  case S16: return 0xffff;
  case F16:
  case F16X2: return 0x3c00;
  case BF16:
  case BF16X2: return 0x3f80;
  default: return {};
  }
}

Emitter testEmitter(const Form &form) {
  const bool isSetp = form.op() == Op::Setp;
  const Type type = isSetp ? form.type() : form.type2();
  const bool packed = isPackedHalf(type);
  const ptx::BoolOp how = form.instr.mods.boolOp;
  Test test = testOf(form, type);
  if (!test)
    return {};
  if (isSetp)
    return [=](Sources from) { return holdsOf(test, packed, how, from); };
  // Into an integer, both halves of packed operands give 16 bits each.
  const std::optional<uint64_t> truth = packed && isInteger(form.type()) ? 0xffff : truthOf(form.type());
  if (!truth || (isPackedHalf(form.type()) && !packed))
    return {};
  const unsigned bits = form.bits();
  return [=](Sources from) -> Results {
    Results holds = holdsOf(test, packed, how, from);
    auto number = [&](const Bits &condition) {
      const Bits zero = condition.resized(bits);
      return onlyIf(condition, zero.constant(*truth));
    };
    return {packed ? number(holds[0]) | number(holds[1]).shl(16) : number(holds[0])};
  };
}

Emitter slctEmitter(const Form &form) {
  const bool isReal = form.type2() == Type::F32, ftz = form.has(ptx::Flag::Ftz);
  return ternary([=](const Bits &a, const Bits &b, const Bits &c) {
    if (!isReal)
      return select(c.isNegative(), b, a);
    return select(flushedIf(ftz, c, sem::F32Layout).real().is(CmpInst::FCMP_OGE, 0.0), a, b);
  });
}

Bits testClass(const Bits &a, ptx::TestpOp which, const Layout &layout) {
  const Bits magnitude = magnitudeOf(a, layout);
  const uint64_t infinity = layout.aboveLargest(), leastNormal = uint64_t(1) << layout.fractionBits;
  const Bits subnormal = (magnitude - 1).below(leastNormal - 1);
  switch (which) {
  case ptx::TestpOp::Finite: return magnitude.below(infinity);
  case ptx::TestpOp::Infinite: return magnitude == infinity;
  case ptx::TestpOp::Number: return ~magnitude.above(infinity);
  case ptx::TestpOp::NotANumber: return magnitude.above(infinity);
  case ptx::TestpOp::Subnormal: return subnormal;
  default: return magnitude.below(infinity) & ~subnormal; // zero counts as normal
  }
}

} // namespace

Emitter compareEmitter(const Form &form) {
  switch (form.op()) {
  case Op::Set:
  case Op::Setp: return testEmitter(form);
  case Op::Selp: return ternary([](const Bits &a, const Bits &b, const Bits &p) { return select(p, a, b); });
  case Op::Slct: return slctEmitter(form);
  case Op::TestP:
    return unary([which = form.instr.mods.testp, layout = layoutOf(form.type())](const Bits &a) {
      return testClass(a, which, layout);
    });
  default: return {};
  }
}

} // namespace heddle::jit
