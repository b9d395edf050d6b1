// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "source/TypedNumber.h"

#include <clang/AST/APValue.h>
#include <clang/AST/ASTContext.h>

#include <cmath>

using namespace clang;
using llvm::APSInt;

namespace heddle::source {
namespace {

double toDouble(llvm::APFloat value) {
  bool inexact = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  return value.convertToDouble();
}

double toDouble(const APSInt &value) {
  llvm::APFloat real(llvm::APFloat::IEEEdouble());
  real.convertFromAPInt(value, value.isSigned(), llvm::APFloat::rmNearestTiesToEven);
  return real.convertToDouble();
}

/// Both compare and divide by sign; overflow of a signed type has no meaning in C++, of an unsigned one it
/// wraps.
std::optional<APSInt> unlessOverflow(llvm::APInt value, bool overflow, const APSInt &like) {
  if (overflow && like.isSigned())
    return std::nullopt;
  return APSInt(std::move(value), like.isUnsigned());
}

std::optional<APSInt> shifted(BinaryOperatorKind op, const APSInt &x, const APSInt &y) {
  if ((y.isSigned() && y.isNegative()) || y.getActiveBits() > 31 || y.getZExtValue() >= x.getBitWidth())
    return std::nullopt;
  unsigned by = unsigned(y.getZExtValue());
  return op == BO_Shl ? x << by : x >> by;
}

std::optional<APSInt> calculated(BinaryOperatorKind op, const APSInt &x, const APSInt &y) {
  bool overflow = false, isSigned = x.isSigned();
  bool divides = op == BO_Div || op == BO_Rem;
  if (divides && (y.isZero() || (isSigned && x.isMinSignedValue() && y.isAllOnes())))
    return std::nullopt;
  switch (op) {
  case BO_Add: {
    llvm::APInt sum = isSigned ? x.sadd_ov(y, overflow) : x.uadd_ov(y, overflow);
    return unlessOverflow(sum, overflow, x);
  }
  case BO_Sub: {
    llvm::APInt difference = isSigned ? x.ssub_ov(y, overflow) : x.usub_ov(y, overflow);
    return unlessOverflow(difference, overflow, x);
  }
  case BO_Mul: {
    llvm::APInt product = isSigned ? x.smul_ov(y, overflow) : x.umul_ov(y, overflow);
    return unlessOverflow(product, overflow, x);
  }
  case BO_Div: return x / y;
  case BO_Rem: return x % y;
  case BO_And: return x & y;
  case BO_Or: return x | y;
  case BO_Xor: return x ^ y;
  default: return std::nullopt;
  }
}

template <typename T> std::optional<bool> compared(BinaryOperatorKind op, const T &x, const T &y) {
  switch (op) {
  case BO_LT: return x < y;
  case BO_GT: return x > y;
  case BO_LE: return x <= y;
  case BO_GE: return x >= y;
  case BO_EQ: return x == y;
  case BO_NE: return x != y;
  default: return std::nullopt;
  }
}

} // namespace

std::optional<TypedNumber> TypedNumber::of(const APValue &value) {
  if (value.isInt())
    return TypedNumber(value.getInt());
  if (value.isFloat())
    return TypedNumber(toDouble(value.getFloat()));
  return std::nullopt;
}

std::optional<TypedNumber> TypedNumber::as(QualType type, const ASTContext &context) const {
  type = type.getNonReferenceType();
  if (type->isBooleanType())
    return of(!isZero());
  if (type->isIntegralOrEnumerationType()) {
    APSInt result(unsigned(context.getIntWidth(type)), type->isUnsignedIntegerOrEnumerationType());
    if (integer())
      return TypedNumber(APSInt(integer()->extOrTrunc(result.getBitWidth()), result.isUnsigned()));
    bool exact = false;
    auto status = llvm::APFloat(*real()).convertToInteger(result, llvm::APFloat::rmTowardZero, &exact);
    return status & llvm::APFloat::opInvalidOp ? std::nullopt : std::optional(TypedNumber(result));
  }
  if (type->isSpecificBuiltinType(BuiltinType::Float) || type->isSpecificBuiltinType(BuiltinType::Double)) {
    double value = integer() ? toDouble(*integer()) : *real();
    return TypedNumber(type->isSpecificBuiltinType(BuiltinType::Float) ? double(float(value)) : value);
  }
  return std::nullopt;
}

std::optional<TypedNumber> TypedNumber::ofIntegers(BinaryOperatorKind op, const APSInt &x, const APSInt &y) {
  bool shifts = op == BO_Shl || op == BO_Shr;
  if (!shifts && (x.getBitWidth() != y.getBitWidth() || x.isSigned() != y.isSigned()))
    return std::nullopt;
  if (!shifts)
    if (std::optional<bool> answer = compared(op, x, y))
      return of(*answer);
  std::optional<APSInt> result = shifts ? shifted(op, x, y) : calculated(op, x, y);
  return result ? std::optional(TypedNumber(*result)) : std::nullopt;
}

std::optional<TypedNumber> TypedNumber::ofReals(BinaryOperatorKind op, double x, double y) {
  if (std::optional<bool> answer = compared(op, x, y))
    return of(*answer);
  switch (op) {
  case BO_Add: return TypedNumber(x + y);
  case BO_Sub: return TypedNumber(x - y);
  case BO_Mul: return TypedNumber(x * y);
  case BO_Div: return y != 0 ? std::optional(TypedNumber(x / y)) : std::nullopt;
  default: return std::nullopt;
  }
}

std::optional<TypedNumber> TypedNumber::apply(BinaryOperatorKind op, const TypedNumber &a,
                                              const TypedNumber &b) {
  if (a.integer() && b.integer())
    return ofIntegers(op, *a.integer(), *b.integer());
  if (a.real() && b.real())
    return ofReals(op, *a.real(), *b.real());
  return std::nullopt;
}

std::optional<TypedNumber> TypedNumber::negated() const {
  if (real())
    return TypedNumber(-*real());
  if (integer()->isSigned() && integer()->isMinSignedValue())
    return std::nullopt;
  return TypedNumber(-*integer());
}

std::optional<TypedNumber> TypedNumber::ceiling() const {
  return real() ? std::optional(TypedNumber(std::ceil(*real()))) : *this;
}

std::optional<TypedNumber> TypedNumber::floor() const {
  return real() ? std::optional(TypedNumber(std::floor(*real()))) : *this;
}

std::optional<TypedNumber> TypedNumber::squareRoot() const {
  return real() && *real() >= 0 ? std::optional(TypedNumber(std::sqrt(*real()))) : std::nullopt;
}

bool TypedNumber::isZero() const { return integer() ? integer()->isZero() : *real() == 0; }

std::optional<int64_t> TypedNumber::whole() const {
  if (integer())
    return integer()->isRepresentableByInt64() ? std::optional(integer()->getExtValue()) : std::nullopt;
  bool fits = std::floor(*real()) == *real() && std::fabs(*real()) < 9e18;
  return fits ? std::optional(int64_t(*real())) : std::nullopt;
}

} // namespace heddle::source
