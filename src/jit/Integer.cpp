// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Integer Arithmetic Instructions" and "Extended-Precision Integer Arithmetic Instructions" (semantics/Integer.h).
#include "jit/Integer.h"

#include "jit/Emitters.h"
#include "jit/Operations.h"

namespace heddle::jit {
namespace {

using ptx::MulMode;
using ptx::Op;

Bits addSat(const Bits &a, const Bits &b) { return a.call(llvm::Intrinsic::sadd_sat, b); }

/// The product of mul and mad in one of their modes.
std::function<Bits(Bits, Bits)> productOf(MulMode mode, bool isSigned) {
  switch (mode) {
  case MulMode::Hi: return [isSigned](Bits a, Bits b) { return mulHi(a, b, isSigned); };
  case MulMode::Wide: return [isSigned](Bits a, Bits b) { return mulWide(a, b, isSigned); };
  default: return [](Bits a, Bits b) { return a * b; };
  }
}

/// mul24: the operands are 24 bits wide; .hi are bits 16 to 47 of the product.
Bits product24(const Bits &a, const Bits &b, bool high, bool isSigned) {
  auto low24 = [&](const Bits &value) { return value.shl(8).shr(8, isSigned); };
  if (!high)
    return low24(a) * low24(b);
  return mulWide(low24(a), low24(b), isSigned).lshr(16).resized(32);
}

/// The sum of the products of `count` parts of a and b with c.
Bits dotProduct(const Bits &a, const Bits &b, const Bits &c, const Form &form) {
  const bool bytes = form.op() == Op::Dp4a;
  const unsigned count = bytes ? 4 : 2, bitsOfA = bytes ? 8 : 16;
  const unsigned first = !bytes && form.instr.mods.mul == MulMode::Hi ? 2 : 0;
  auto part = [](const Bits &whole, unsigned bits, unsigned index, ptx::Type type) {
    return whole.shl(32 - bits * (index + 1)).shr(32 - bits, ptx::isSigned(type));
  };
  Bits sum = c;
  for (unsigned i = 0; i < count; ++i)
    sum = sum + part(a, bitsOfA, i, form.type()) * part(b, 8, first + i, form.type2());
  return sum;
}

Emitter minMaxEmitter(const Form &form) {
  const bool isSigned = form.isSigned() || form.type() == ptx::Type::S16X2, wantMax = form.op() == Op::Max,
             relu = form.has(ptx::Flag::Relu);
  return binary([=](const Bits &a, const Bits &b) {
    const Bits result = wantMax ? a.max(b, isSigned) : a.min(b, isSigned);
    return relu ? result.max(0, true) : result;
  });
}

Emitter simpleEmitter(const Form &form) {
  const bool isSigned = form.isSigned(), saturates = form.has(ptx::Flag::Sat);
  switch (form.op()) {
  case Op::Add:
    return saturates ? binary(addSat) : binary([](const Bits &a, const Bits &b) { return a + b; });
  case Op::Sub:
    return saturates
               ? binary([](const Bits &a, const Bits &b) { return a.call(llvm::Intrinsic::ssub_sat, b); })
               : binary([](const Bits &a, const Bits &b) { return a - b; });
  case Op::Min:
  case Op::Max: return form.operands.size() > 3 ? Emitter() : minMaxEmitter(form);
  case Op::Div: return binary([=](const Bits &a, const Bits &b) { return quotient(a, b, isSigned); });
  case Op::Rem: return binary([=](const Bits &a, const Bits &b) { return remainder(a, b, isSigned); });
  case Op::Abs: return unary([](const Bits &a) { return select(a.isNegative(), -a, a); });
  case Op::Neg: return unary([](const Bits &a) { return -a; });
  case Op::Sad:
    return ternary([=](const Bits &a, const Bits &b, const Bits &c) {
      return c + (a.max(b, isSigned) - a.min(b, isSigned));
    });
  default: return {};
  }
}

Emitter productEmitter(const Form &form) {
  const bool isSigned = form.isSigned(), saturates = form.has(ptx::Flag::Sat);
  const bool high = form.instr.mods.mul == MulMode::Hi;
  auto sum = [=](const Bits &a, const Bits &b) { return saturates ? addSat(a, b) : a + b; };
  auto product = productOf(form.instr.mods.mul, isSigned);
  switch (form.op()) {
  case Op::Mul: return binary(product);
  case Op::Mad:
    return ternary([=](const Bits &a, const Bits &b, const Bits &c) { return sum(product(a, b), c); });
  case Op::Mul24:
    return binary([=](const Bits &a, const Bits &b) { return product24(a, b, high, isSigned); });
  case Op::Mad24:
    return ternary(
        [=](const Bits &a, const Bits &b, const Bits &c) { return sum(product24(a, b, high, isSigned), c); });
  case Op::Dp4a:
  case Op::Dp2a:
    return ternary([form](const Bits &a, const Bits &b, const Bits &c) { return dotProduct(a, b, c, form); });
  default: return {};
  }
}

// --- with carry
// -------------------------------------------------------------------------------------------------------

Results sumWithCarry(const Bits &a, const Bits &b, const Bits &carry) {
  const Bits partial = a + b, sum = partial + carry.resized(a.width());
  return {sum, partial.below(a) | sum.below(partial)};
}
Results differenceWithBorrow(const Bits &a, const Bits &b, const Bits &borrow) {
  const Bits wide = borrow.resized(a.width()), partial = a - b;
  return {partial - wide, a.below(b) | partial.below(wide)};
}

} // namespace

Emitter integerEmitter(const Form &form) {
  if (ptx::kindOf(form.type()) == ptx::TypeKind::PackedInt) {
    const bool minMax = form.op() == Op::Min || form.op() == Op::Max;
    return minMax || form.op() == Op::Add ? onHalves(simpleEmitter(form)) : Emitter();
  }
  if (!isInteger(form.type()))
    return {};
  Emitter simple = simpleEmitter(form);
  return simple ? simple : productEmitter(form);
}

Emitter carryEmitter(const Form &form) {
  if (!readsCarry(form.instr) && !writesCarry(form.instr))
    return {};
  const bool reads = readsCarry(form.instr), writes = writesCarry(form.instr);
  const bool subtracts = form.op() == Op::Sub || form.op() == Op::SubC;
  const bool multiplies = form.op() == Op::Mad || form.op() == Op::MadC;
  auto product = productOf(form.instr.mods.mul, form.isSigned());
  return [=](Sources from) -> Results {
    const Bits a = multiplies ? product(from[0], from[1]) : from[0], b = from[multiplies ? 2 : 1];
    const Bits carry = reads ? from.back() : (a != a);
    Results results = subtracts ? differenceWithBorrow(a, b, carry) : sumWithCarry(a, b, carry);
    return writes ? results : Results{results[0]};
  };
}

} // namespace heddle::jit
