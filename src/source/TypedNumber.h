// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <clang/AST/OperationKinds.h>
#include <clang/AST/Type.h>
#include <llvm/ADT/APSInt.h>

#include <cstdint>
#include <optional>
#include <variant>

namespace clang {
class APValue;
class ASTContext;
} // namespace clang

namespace heddle::source {

/// A number with the width, sign and kind that its C++ type gives it, so that `7 / 2 * 2.0f` and `0u - 1`
/// come out as they do in the program.
class TypedNumber {
public:
  static std::optional<TypedNumber> of(const clang::APValue &value);
  static TypedNumber of(bool value) { return TypedNumber(llvm::APSInt(llvm::APInt(1, value), true)); }

  /// As a value of another arithmetic type; nothing where C++ leaves the result open or the type is not one.
  std::optional<TypedNumber> as(clang::QualType type, const clang::ASTContext &context) const;
  /// `a op b` for two numbers of one type (for shifts: any two whole ones); nothing where C++ leaves it open.
  static std::optional<TypedNumber> apply(clang::BinaryOperatorKind op, const TypedNumber &a,
                                          const TypedNumber &b);
  std::optional<TypedNumber> negated() const;
  /// The nearest integer upwards or downwards, and the square root: exact on every machine.
  std::optional<TypedNumber> ceiling() const, floor() const, squareRoot() const;

  bool isZero() const;
  /// The integer it is; nothing for one with a fraction or out of range.
  std::optional<int64_t> whole() const;

private:
  explicit TypedNumber(llvm::APSInt value) : number(std::move(value)) {}
  explicit TypedNumber(double value) : number(value) {}
  const llvm::APSInt *integer() const { return std::get_if<llvm::APSInt>(&number); }
  const double *real() const { return std::get_if<double>(&number); }
  static std::optional<TypedNumber> ofIntegers(clang::BinaryOperatorKind op, const llvm::APSInt &x,
                                               const llvm::APSInt &y);
  static std::optional<TypedNumber> ofReals(clang::BinaryOperatorKind op, double x, double y);

  std::variant<llvm::APSInt, double> number; // a float is kept as the double of the same value
};

} // namespace heddle::source
