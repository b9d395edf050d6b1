// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Logic and Shift Instructions" and the bit-field part of the integer ones (semantics/Bits.h).
#include "jit/Emitters.h"
#include "jit/Permute.h"

namespace heddle::jit {
namespace {

using ptx::Op;

// --- shifts by any 32-bit count
// ---------------------------------------------------------------------------------------

Bits shiftLeft(const Bits &a, const Bits &count) {
  return onlyIf(count.below(a.width()), a.shl(count.resized(a.width())));
}
Bits shiftRight(const Bits &a, const Bits &count, bool isSigned) {
  if (isSigned)
    return a.ashr(count.min(a.width() - 1, false).resized(a.width()));
  return onlyIf(count.below(a.width()), a.lshr(count.resized(a.width())));
}

/// A count as .wrap and .clamp read it.
Bits shiftCount(const Bits &count, bool wraps) { return wraps ? count & 31 : count.min(32, false); }

Bits funnelShift(const Bits &low, const Bits &high, const Bits &count, const Form &form) {
  const bool wraps = form.instr.mods.wrap == ptx::WrapMode::Wrap,
             left = form.instr.mods.dir == ptx::ShiftDir::Left;
  llvm::IRBuilderBase &ir = low.builder();
  // The intrinsic takes the count modulo 32.
  const Bits shifted(ir, ir.CreateIntrinsic(left ? llvm::Intrinsic::fshl : llvm::Intrinsic::fshr,
                                            {low.type()}, {high.value(), low.value(), count.value()}));
  return wraps ? shifted : select(count.below(32), shifted, left ? low : high);
}

// --- bit fields
// -------------------------------------------------------------------------------------------------------

/// `length` ones from bit 0, all ones from the width on.
Bits lowOnes(const Bits &length, const Bits &like) { return ~shiftLeft(like.constant(uint64_t(-1)), length); }

Bits extractField(const Bits &a, const Bits &positionWord, const Bits &lengthWord, bool isSigned) {
  const unsigned width = a.width(), top = width - 1;
  const Bits position = positionWord & 0xff, length = lengthWord & 0xff;
  const Bits field = shiftRight(a, position, false) & lowOnes(length, a);
  if (!isSigned)
    return field;
  const Bits signPlace = (position + length - 1).min(top, false);
  const Bits sign = a.lshr(signPlace.resized(width)) & 1;
  const Bits present = select(position.above(top), 0, length.min(position.constant(width) - position, false));
  return field | onlyIf((length != 0) & (sign != 0), ~lowOnes(present, a));
}

Bits insertField(const Bits &a, const Bits &b, const Bits &positionWord, const Bits &lengthWord) {
  const Bits position = positionWord & 0xff, field = shiftLeft(lowOnes(lengthWord & 0xff, a), position);
  return (shiftLeft(a, position) & field) | (b & ~field);
}

Bits extendFrom(const Bits &a, const Bits &countWord, const Form &form) {
  const Bits count = shiftCount(countWord, form.instr.mods.wrap == ptx::WrapMode::Wrap);
  // The field is moved to the top and back.
  const Bits up = (count.constant(32) - count) & 31;
  return onlyIf(count != 0, a.shl(up).shr(up, form.isSigned()));
}

// --- counting
// ---------------------------------------------------------------------------------------------------------

Bits leadingZeros(const Bits &a) {
  llvm::IRBuilderBase &ir = a.builder();
  return {ir, ir.CreateIntrinsic(llvm::Intrinsic::ctlz, {a.type()}, {a.value(), ir.getFalse()})};
}

Bits findHighest(const Bits &a, bool isSigned, bool asShift) {
  const Bits magnitude = isSigned ? a ^ a.ashr(a.width() - 1) : a;
  const Bits zeros = leadingZeros(magnitude).resized(32);
  return select(magnitude == 0, uint64_t(-1), asShift ? zeros : zeros.constant(a.width() - 1) - zeros);
}

// --- logic of three operands
// ------------------------------------------------------------------------------------------

/// The function of the last `count` operands whose truth table has 2^count rows: decided by the first of them.
Bits tableLogic(Sources operands, unsigned table) {
  const unsigned rows = 1u << operands.size(), all = (1u << rows) - 1;
  if (table == 0 || table == all)
    return operands.back().constant(table ? uint64_t(-1) : 0);
  const Bits &first = operands[0];
  if (operands.size() == 1)
    return table == 2 ? first : ~first;
  const unsigned half = rows / 2, ones = (1u << half) - 1, low = table & ones, high = table >> half;
  const Sources rest = operands.subspan(1);
  if (low == high)
    return tableLogic(rest, low);
  if (low == 0)
    return first & tableLogic(rest, high);
  if (high == 0)
    return ~first & tableLogic(rest, low);
  if (high == ones)
    return first | tableLogic(rest, low);
  if (low == ones)
    return ~first | tableLogic(rest, high);
  if (low == (~high & ones))
    return first ^ tableLogic(rest, low);
  return (first & tableLogic(rest, high)) | (~first & tableLogic(rest, low));
}

/// d|p = lop3(a, b, c, table), p = (d != 0) and/or q.
Results lop3(Sources from, const Form &form) {
  const Bits result = tableLogic(from.first(3), unsigned(form.operands[5].value) & 0xff),
             nonzero = result != 0;
  const Bits q = from.size() > 4 ? from[4] : nonzero.constant(0);
  return {result, form.instr.mods.boolOp == ptx::BoolOp::And ? nonzero & q : nonzero | q};
}

Emitter countEmitter(const Form &form) {
  const bool isSigned = form.isSigned(), asShift = form.has(ptx::Flag::ShiftAmt);
  switch (form.op()) {
  case Op::Popc: return unary([](const Bits &a) { return a.call(llvm::Intrinsic::ctpop).resized(32); });
  case Op::Clz: return unary([](const Bits &a) { return leadingZeros(a).resized(32); });
  case Op::Bfind: return unary([=](const Bits &a) { return findHighest(a, isSigned, asShift); });
  case Op::Brev: return unary([](const Bits &a) { return a.call(llvm::Intrinsic::bitreverse); });
  case Op::Bfe:
    return ternary([=](const Bits &a, const Bits &at, const Bits &length) {
      return extractField(a, at, length, isSigned);
    });
  case Op::Bfi: return emitsOne<4>(insertField);
  case Op::Szext: return binary([form](const Bits &a, const Bits &n) { return extendFrom(a, n, form); });
  case Op::Bmsk: {
    const bool wraps = form.instr.mods.wrap == ptx::WrapMode::Wrap;
    return binary([=](const Bits &start, const Bits &width) {
      return shiftLeft(lowOnes(shiftCount(width, wraps), start), shiftCount(start, wraps));
    });
  }
  default: return {};
  }
}

} // namespace

Emitter bitsEmitter(const Form &form) {
  const bool isSigned = form.isSigned();
  switch (form.op()) {
  case Op::And: return binary([](const Bits &a, const Bits &b) { return a & b; });
  case Op::Or: return binary([](const Bits &a, const Bits &b) { return a | b; });
  case Op::Xor: return binary([](const Bits &a, const Bits &b) { return a ^ b; });
  case Op::Not: return unary([](const Bits &a) { return ~a; });
  case Op::CNot: return unary([](const Bits &a) { return (a == 0).resized(a.width()); });
  case Op::Lop3: return [form](Sources from) { return lop3(from, form); };
  case Op::Shl: return binary(shiftLeft);
  case Op::Shr: return binary([=](const Bits &a, const Bits &n) { return shiftRight(a, n, isSigned); });
  case Op::Shf:
    return ternary(
        [form](const Bits &a, const Bits &b, const Bits &n) { return funnelShift(a, b, n, form); });
  case Op::Prmt:
    return ternary([mode = form.instr.mods.prmt](const Bits &a, const Bits &b, const Bits &c) {
      return permuteBytes(a, b, c, mode);
    });
  default: return countEmitter(form);
  }
}

} // namespace heddle::jit
