// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global addresses are data, but not any data: nearly always a pointer parameter plus a sum of products of blockIdx,
// gridDim, parameters and what is known of the thread. While the block is executed each unknown integer register
// carries that sum, lane by lane: a polynomial over what all threads of the block have in common, and a constant
// of the lane (StaticForms.h). Two lanes of one polynomial touch the same memory just where their constants
// say so; what they are good for is decided in StaticGlobal.cpp.
//
// Sums are those of integers, not of 32-bit words: index arithmetic is taken not to overflow, which the verdict says.
#include "check/StaticSteering.h"
#include "vm/Access.h"

#include <bit>
#include <cstring>

namespace heddle::check {

using namespace vm;
using ptx::Op;

namespace {

bool isIntegerRegister(ptx::Type type) {
  const ptx::TypeKind kind = ptx::kindOf(type);
  return (kind == ptx::TypeKind::Bits || kind == ptx::TypeKind::Unsigned || kind == ptx::TypeKind::Signed) &&
         (ptx::bitsOf(type) == 32 || ptx::bitsOf(type) == 64);
}

/// As a signed number: what is added or subtracted.
int64_t laneOf(const uint8_t *row, unsigned lane, unsigned bits) {
  if (bits == 64) {
    int64_t value;
    std::memcpy(&value, row + 8 * lane, 8);
    return value;
  }
  int32_t value;
  std::memcpy(&value, row + 4 * lane, 4);
  return value;
}

std::optional<Forms::Symbol> symbolOf(ptx::SpecialReg reg) {
  using enum ptx::SpecialReg;
  switch (reg) {
  case CtaIdX: return Forms::BlockIdx;
  case CtaIdY: return Forms::BlockIdx + 1;
  case CtaIdZ: return Forms::BlockIdx + 2;
  case NCtaIdX: return Forms::GridDim;
  case NCtaIdY: return Forms::GridDim + 1;
  case NCtaIdZ: return Forms::GridDim + 2;
  default: return std::nullopt;
  }
}

/// a | b is a + b where a has only bits below those that b's terms can have.
bool isDisjoint(const Forms &forms, const FormValue &small, const FormValue &large) {
  if (small.form != Forms::Constant || small.offset < 0 || large.form == Forms::Opaque)
    return false;
  const int64_t unit = int64_t(std::bit_ceil(uint64_t(small.offset) + 1));
  if (large.offset % unit)
    return false;
  for (const auto &[monomial, coefficient] : forms.of(large.form))
    if (coefficient % unit)
      return false;
  return true;
}

} // namespace

/// Source `index` of an instruction, in each lane of the mask.
void StaticSteering::formsOf(Warp &warp, const Inst &in, const TaintStep &s, unsigned index, unsigned bits,
                             uint32_t mask, LaneForms &out) {
  const uint32_t reg = srcsOf(s)[index];
  const Loc loc = index == 0 ? in.a : index == 1 ? in.b : in.c;
  const uint32_t unknown = reg == ptx::kNone ? 0 : regs->lanesOf(reg);
  const LaneForms *sums = reg == ptx::kNone ? nullptr : regs->formsOf(reg);
  const uint8_t *row = loc == NoLoc ? nullptr : warp.row<uint8_t>(loc);
  eachLane(mask, [&](unsigned lane) {
    if (unknown >> lane & 1)
      out[lane] = sums ? (*sums)[lane] : FormValue{Forms::Opaque, 0};
    else
      out[lane] = row ? FormValue{Forms::Constant, laneOf(row, lane, bits)} : FormValue{Forms::Opaque, 0};
  });
}

/// What an instruction will leave in the lanes of the mask; false where that is no sum.
bool StaticSteering::follow(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask,
                            LaneForms &result) {
  const ptx::Instr &instr = plan->code->sourceOf(in);
  const uint32_t dst = dstsOf(s)[0];
  if (s.dsts != 1 || dst == ptx::kNone || !isIntegerRegister(instr.type()))
    return false;
  auto operands = plan->code->function->operandsOf(instr);
  LaneForms a, b, c;
  const unsigned bits = ptx::bitsOf(instr.type());
  auto load = [&](unsigned index, unsigned width, LaneForms &to) {
    formsOf(warp, in, s, index, width, mask, to);
  };
  auto each = [&](auto value) { eachLane(mask, [&](unsigned lane) { result[lane] = value(lane); }); };
  switch (instr.op) {
  case Op::Mov:
    if (operands[1].kind == ptx::OperandKind::Special) {
      const auto symbol = symbolOf(ptx::SpecialReg(operands[1].index));
      if (!symbol)
        return false;
      each([&](unsigned) { return FormValue{forms.symbol(*symbol), 0}; });
      break;
    }
    if (s.srcs != 1)
      return false;
    load(0, bits, a);
    result = a;
    break;
  case Op::Cvta:
    load(0, 64, a);
    result = a;
    break;
  case Op::Cvt:
    if (!isIntegerRegister(instr.type2()))
      return false;
    load(0, ptx::bitsOf(instr.type2()), a);
    result = a;
    break;
  case Op::Add:
  case Op::Sub:
    load(0, bits, a), load(1, bits, b);
    each([&](unsigned lane) { return forms.add(a[lane], b[lane], instr.op == Op::Add ? 1 : -1); });
    break;
  case Op::Neg:
    load(0, bits, a);
    each([&](unsigned lane) { return forms.add({}, a[lane], -1); });
    break;
  case Op::Not: // -1 - a: compilers make it of n - 1 - i
    load(0, bits, a);
    each([&](unsigned lane) { return forms.add({Forms::Constant, -1}, a[lane], -1); });
    break;
  case Op::Mul:
  case Op::Mad: {
    if (instr.mods.mul != ptx::MulMode::Lo && instr.mods.mul != ptx::MulMode::Wide)
      return false;
    load(0, bits, a), load(1, bits, b);
    if (instr.op == Op::Mad)
      load(2, instr.mods.mul == ptx::MulMode::Wide ? 64 : bits, c);
    each([&](unsigned lane) {
      const FormValue product = forms.multiply(a[lane], b[lane]);
      return instr.op == Op::Mad ? forms.add(product, c[lane]) : product;
    });
    break;
  }
  case Op::Shl:
    load(0, bits, a), load(1, 32, b);
    each([&](unsigned lane) {
      if (b[lane].form != Forms::Constant || b[lane].offset < 0 || b[lane].offset > 40)
        return FormValue{Forms::Opaque, 0};
      return forms.add({}, a[lane], int64_t(1) << b[lane].offset);
    });
    break;
  case Op::Or:
    load(0, bits, a), load(1, bits, b);
    each([&](unsigned lane) {
      return isDisjoint(forms, a[lane], b[lane]) || isDisjoint(forms, b[lane], a[lane])
                 ? forms.add(a[lane], b[lane])
                 : FormValue{Forms::Opaque, 0};
    });
    break;
  case Op::Selp: {
    const uint32_t unsure = taintOf(srcsOf(s)[2], mask).lanes, first = warp.pred(in.c);
    load(0, bits, a), load(1, bits, b);
    each([&](unsigned lane) {
      if (unsure >> lane & 1)
        return a[lane].form == b[lane].form && a[lane].offset == b[lane].offset ? a[lane]
                                                                                : FormValue{Forms::Opaque, 0};
      return first >> lane & 1 ? a[lane] : b[lane];
    });
    break;
  }
  default: return false;
  }
  return true;
}

/// What an instruction will leave in the lanes of the mask, where it is the largest or smallest of some numbers.
std::optional<Extremum> StaticSteering::followExtremum(Warp &warp, const Inst &in, const TaintStep &s,
                                                       uint32_t mask) {
  const ptx::Instr &instr = plan->code->sourceOf(in);
  const ptx::TypeKind kind = ptx::kindOf(instr.type());
  // .relu takes the larger of 0 and the result.
  if ((instr.op != Op::Max && instr.op != Op::Min) || !isIntegerRegister(instr.type()) ||
      kind == ptx::TypeKind::Bits || s.srcs != 2 || instr.mods.has(ptx::Flag::Relu))
    return std::nullopt;
  Extremum result{instr.op == Op::Max, kind == ptx::TypeKind::Signed, ptx::bitsOf(instr.type()), mask, {}};
  for (unsigned index : {0u, 1u}) {
    const uint32_t reg = srcsOf(s)[index];
    const Extremum *inner = reg == ptx::kNone ? nullptr : regs->extremumOf(reg, mask);
    if (inner && inner->isLike(result))
      result.parts.insert(result.parts.end(), inner->parts.begin(), inner->parts.end());
    else
      formsOf(warp, in, s, index, result.bits, mask, result.parts.emplace_back());
  }
  return result.parts.size() <= Facts::Most ? std::optional(std::move(result)) : std::nullopt;
}

/// Of a comparison of integers, as written.
Condition StaticSteering::followComparison(Warp &warp, const Inst &in, const TaintStep &s, uint32_t lanes) {
  const ptx::Instr &instr = plan->code->sourceOf(in);
  const unsigned bits = ptx::bitsOf(instr.type());
  const bool isSigned = ptx::isSigned(instr.type());
  LaneForms sides[2];
  formsOf(warp, in, s, 0, bits, lanes, sides[0]), formsOf(warp, in, s, 1, bits, lanes, sides[1]);
  for (unsigned side : {0u, 1u}) {
    const uint32_t reg = srcsOf(s)[side];
    const Extremum *extremum = reg == ptx::kNone ? nullptr : regs->extremumOf(reg, lanes);
    if (extremum && extremum->bits == bits && extremum->isSigned == isSigned)
      return conditionOf(forms, instr.mods.cmp, lanes, *extremum, sides[1 - side], side == 0);
  }
  return conditionOf(forms, instr.mods.cmp, isSigned, lanes, sides[0], sides[1]);
}

/// What will follow from a predicate that an instruction leaves unknown in these lanes.
Condition StaticSteering::followPredicate(Warp &warp, const Inst &in, const TaintStep &s, uint32_t lanes) {
  const ptx::Instr &instr = plan->code->sourceOf(in);
  auto operands = plan->code->function->operandsOf(instr);
  auto source = [&](unsigned index) {
    return index < s.srcs ? regs->conditionOf(srcsOf(s)[index]) : nullptr;
  };
  auto isNegated = [&](unsigned index) { return index < operands.size() && operands[index].negated; };
  auto only = [&](Condition condition) {
    condition.dropLanes(~lanes);
    return condition;
  };
  if (instr.op == Op::Not && source(0))
    return only({source(0)->ifFalse, source(0)->ifTrue});
  if (instr.op == Op::And && !isNegated(1) && !isNegated(2))
    return only(conditionOfAnd(source(0), source(1)));
  if (instr.op == Op::Or && !isNegated(1) && !isNegated(2))
    return only(conditionOfOr(source(0), source(1)));
  if (instr.op != Op::Setp || !isIntegerRegister(instr.type()))
    return {};
  const Condition compared = followComparison(warp, in, s, lanes);
  if (s.srcs < 3)
    return compared;
  if (operands.back().negated) // p|q, two numbers, and this
    return {};
  const auto op = ptx::BoolOp(in.mode);
  return only(op == ptx::BoolOp::And  ? conditionOfAnd(&compared, source(2))
              : op == ptx::BoolOp::Or ? conditionOfOr(&compared, source(2))
                                      : Condition{});
}

/// A parameter that is not known.
void StaticSteering::followParameter(uint32_t reg, uint32_t mask, uint64_t offset, uint32_t bytes) {
  if (offset % 4 || (bytes != 4 && bytes != 8))
    return;
  LaneForms result;
  result.fill({forms.symbol(Forms::Symbol(Forms::Parameters + offset / 4)), 0});
  regs->setForms(reg, mask, result);
}

/// The addresses of a global access.
void StaticSteering::addressForms(Warp &warp, const Inst &in, const TaintStep &s, uint32_t mask,
                                  LaneForms &out) const {
  uint64_t address[Lanes];
  warp.addresses(in, address);
  const uint32_t unknown = s.address == ptx::kNone ? 0 : regs->lanesOf(s.address);
  const LaneForms *sums = s.address == ptx::kNone ? nullptr : regs->formsOf(s.address);
  eachLane(mask, [&](unsigned lane) {
    if (!(unknown >> lane & 1))
      out[lane] = {Forms::Constant, int64_t(address[lane])};
    else if (!sums || (*sums)[lane].form == Forms::Opaque)
      out[lane] = {Forms::Opaque, 0};
    else
      out[lane] = {(*sums)[lane].form, (*sums)[lane].offset + in.imm};
  });
}

} // namespace heddle::check
