// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a chunk of lanes while IR is emitted, with operators, so that emitted arithmetic reads like that of src/semantics.
// What holds for one lane is written once: the same code emits scalars and vectors of any lane count.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <concepts>
#include <cstdint>

namespace heddle::jit {

class Bits;
class Real;

/// A value, or a number that takes the type of the value it is combined with.
class Term {
public:
  Term(const Bits &value);
  template <std::integral T> Term(T number) : number(uint64_t(number)) {}
  llvm::Value *in(llvm::Type *type) const;

private:
  llvm::Value *value = nullptr;
  uint64_t number = 0;
};

/// An integer in each lane. One-bit integers are truth values.
class Bits {
public:
  Bits(llvm::IRBuilderBase &builder, llvm::Value *value) : ir(&builder), held(value) {}
  llvm::Value *value() const { return held; }
  llvm::IRBuilderBase &builder() const { return *ir; }
  llvm::Type *type() const { return held->getType(); }
  unsigned width() const { return type()->getScalarSizeInBits(); }
  bool isVector() const { return type()->isVectorTy(); }
  /// The same number in each lane, of this value's type.
  Bits constant(uint64_t number) const { return {*ir, Term(number).in(type())}; }

  Bits operator~() const { return {*ir, ir->CreateNot(held)}; }
  Bits operator-() const { return {*ir, ir->CreateNeg(held)}; }

  // Counts of the width or more give poison, as in LLVM: a select must replace the result.
  Bits shl(Term count) const { return {*ir, ir->CreateShl(held, count.in(type()))}; }
  Bits lshr(Term count) const { return {*ir, ir->CreateLShr(held, count.in(type()))}; }
  Bits ashr(Term count) const { return {*ir, ir->CreateAShr(held, count.in(type()))}; }
  Bits shr(Term count, bool isSigned) const { return isSigned ? ashr(count) : lshr(count); }

  Bits is(llvm::CmpInst::Predicate how, Term other) const {
    return {*ir, ir->CreateICmp(how, held, other.in(type()))};
  }
  Bits below(Term other, bool isSigned = false) const {
    return is(isSigned ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT, other);
  }
  Bits above(Term other, bool isSigned = false) const {
    return is(isSigned ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_UGT, other);
  }
  Bits isNegative() const { return below(0, true); }

  /// An intrinsic that takes values of this type and returns one.
  Bits call(llvm::Intrinsic::ID id) const { return {*ir, ir->CreateUnaryIntrinsic(id, held)}; }
  Bits call(llvm::Intrinsic::ID id, Term other) const {
    return {*ir, ir->CreateBinaryIntrinsic(id, held, other.in(type()))};
  }
  Bits min(Term other, bool isSigned) const {
    return call(isSigned ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, other);
  }
  Bits max(Term other, bool isSigned) const {
    return call(isSigned ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, other);
  }

  /// Truncated or extended.
  Bits resized(unsigned bits, bool isSigned = false) const;
  /// The bits as a number of the host's format of this width (32 or 64).
  Real real() const;
  /// The low and the high half of each lane side by side, as twice as many lanes of half the width.
  Bits halves() const;
  /// The same bits as lanes of `shape`.
  Bits as(llvm::Type *shape) const { return {*ir, ir->CreateBitCast(held, shape)}; }

private:
  llvm::IRBuilderBase *ir;
  llvm::Value *held;
};

#define HEDDLE_JIT_OPERATOR(OPERATOR, CREATE, RESULT)                                                        \
  inline Bits operator OPERATOR(const Bits &a, const Term &b) {                                              \
    return {a.builder(), a.builder().CREATE(a.value(), b.in(a.type()))};                                     \
  }
HEDDLE_JIT_OPERATOR(+, CreateAdd, Bits)
HEDDLE_JIT_OPERATOR(-, CreateSub, Bits)
HEDDLE_JIT_OPERATOR(*, CreateMul, Bits)
HEDDLE_JIT_OPERATOR(&, CreateAnd, Bits)
HEDDLE_JIT_OPERATOR(|, CreateOr, Bits)
HEDDLE_JIT_OPERATOR(^, CreateXor, Bits)
HEDDLE_JIT_OPERATOR(==, CreateICmpEQ, Bits)
HEDDLE_JIT_OPERATOR(!=, CreateICmpNE, Bits)
#undef HEDDLE_JIT_OPERATOR

/// A float or double in each lane. Without fast-math flags; but LLVM does not fix the bits of a NaN that an operation returns:
/// whoever makes bits of a result that may be one replaces it.
class Real {
public:
  Real(llvm::IRBuilderBase &builder, llvm::Value *value) : ir(&builder), held(value) {}
  llvm::Value *value() const { return held; }
  llvm::IRBuilderBase &builder() const { return *ir; }
  llvm::Type *type() const { return held->getType(); }
  unsigned width() const { return type()->getScalarSizeInBits(); }
  Real constant(double number) const { return {*ir, llvm::ConstantFP::get(type(), number)}; }
  Bits bits() const;

  Real operator+(const Real &b) const { return {*ir, ir->CreateFAdd(held, b.held)}; }
  Real operator-(const Real &b) const { return {*ir, ir->CreateFSub(held, b.held)}; }
  Real operator*(const Real &b) const { return {*ir, ir->CreateFMul(held, b.held)}; }
  Real operator/(const Real &b) const { return {*ir, ir->CreateFDiv(held, b.held)}; }
  Real operator-() const { return {*ir, ir->CreateFNeg(held)}; }
  Real operator+(double b) const { return *this + constant(b); }
  Real operator*(double b) const { return *this * constant(b); }

  Bits is(llvm::CmpInst::Predicate how, const Real &other) const {
    return {*ir, ir->CreateFCmp(how, held, other.held)};
  }
  Bits is(llvm::CmpInst::Predicate how, double other) const { return is(how, constant(other)); }
  Bits operator<(const Real &b) const { return is(llvm::CmpInst::FCMP_OLT, b); }
  Bits operator>(const Real &b) const { return is(llvm::CmpInst::FCMP_OGT, b); }
  Bits isNaN() const { return is(llvm::CmpInst::FCMP_UNO, *this); }

  Real call(llvm::Intrinsic::ID id) const { return {*ir, ir->CreateUnaryIntrinsic(id, held)}; }
  /// this * b + c, rounded once.
  Real fma(const Real &b, const Real &c) const {
    return {*ir, ir->CreateIntrinsic(llvm::Intrinsic::fma, {type()}, {held, b.held, c.held})};
  }
  /// The value in the host's format of that width, rounded to nearest.
  Real resized(unsigned bits) const;
  /// Rounded toward zero; poison out of the range.
  Bits toInteger(unsigned bits, bool isSigned) const;

private:
  llvm::IRBuilderBase *ir;
  llvm::Value *held;
};

inline Term::Term(const Bits &bits) : value(bits.value()) {}

inline Bits select(const Bits &condition, const Bits &a, Term b) {
  return {a.builder(), a.builder().CreateSelect(condition.value(), a.value(), b.in(a.type()))};
}
inline Bits select(const Bits &condition, uint64_t a, const Bits &b) {
  return select(condition, b.constant(a), b);
}
/// `a` where the condition holds, else 0.
inline Bits onlyIf(const Bits &condition, const Bits &a) { return select(condition, a, 0); }

/// The integer as the nearest number of the host's format of that width.
Real toReal(const Bits &value, unsigned width, bool isSigned);

/// `element` in as many lanes as `shape` has.
llvm::Type *withElement(llvm::Type *shape, llvm::Type *element);

} // namespace heddle::jit
