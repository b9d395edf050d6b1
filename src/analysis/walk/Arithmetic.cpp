// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of C++ on symbolic values.
//
// Each operator gives a polynomial where that is exact, a symbol that is the same for all threads where only
// that is known, and otherwise the reason why there is no value:
//
//     threadIdx.x / 32        floor((threadIdx.x)/32)            not negative, so rounding down is C++'s division
//     threadIdx.x & 31        x - 32*floor(x/32)                 a mask of low bits is a remainder
//     threadIdx.x ^ 8         x + 8*(1 - 2*bit)                  one bit: partners of a butterfly
//     n / m                   the symbol "(n / m)"               uniform operands give a uniform result
//     threadIdx.x / m         no value: '/' by m, which is no constant
//
// 1. Sums, differences and products of polynomials are polynomials; shifts by constants are products and
//    floors.
// 2. Masks of one run of low or high bits are exact for two's complement numbers of either sign.
// 3. A uniform symbol is named by its text, so that two evaluations of the same expression in the same
//    iteration are the same symbol.
// 4. A conversion to fewer than 32 bits keeps the value only where its largest value fits. Where the result
//    relies on an operation that does not wrap around, `assumesNoWrap` is set, for callers that must not
//    assume it.
//
// Not handled: | and ^ with several bits, products of bits. Cost: that of the polynomials.
#include "analysis/walk/Arithmetic.h"

#include "analysis/walk/Pointers.h"
#include "arch/Common.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

using namespace clang;

namespace heddle::analysis::walk {
namespace {

enum class Division { Quotient, Remainder, Shift };

Affine divide(const Affine &left, const Affine &right, Division kind, const Expr *at,
              const ValueScope &scope) {
  const bool wantsRemainder = kind == Division::Remainder, isShift = kind == Division::Shift;
  SourceLocation location = scope.location(at);
  const char *sign = wantsRemainder ? "%" : "/";
  if (!left || !right)
    return !left ? left : right;
  auto divisor = right.constant();
  auto number = left.constant();
  if (divisor && *divisor != 0 && number) // C rounds to zero, a shift does not
    return wantsRemainder ? *number % *divisor
           : isShift      ? floorDivide(*number, *divisor)
                          : *number / *divisor;
  // Rounding down is C's division only for what is not negative.
  if (divisor && *divisor > 0 && (isShift || left->isNonNegative() || left->dividedBy(*divisor))) {
    Polynomial quotient = floorDivide(*left, *divisor, scope.symbols);
    Affine value = wantsRemainder ? Affine(*left - quotient * *divisor) : Affine(quotient);
    value.assumesNoWrap = left.assumesNoWrap;
    return value;
  }
  const std::string text = fmt::format("({} {} {})", left->str(), sign, right->str());
  if (divisor && *divisor > 0 && kind == Division::Quotient && !left->dependsOnThread() &&
      !left->dependsOnLoop())
    return Affine(Polynomial(scope.symbols.quotient(text, *left, *divisor)));
  if (auto uniform = uniformOf(text, {&left, &right}, left->isNonNegative() && right->isNonNegative(), scope))
    return uniform->integer;
  if (!divisor)
    return Affine::not_(fmt::format("'{}' by {}, which is no constant", sign, right->str()), location);
  return Affine::not_(fmt::format("'{}' of {}, which may be negative", sign, left->str()), location);
}

Affine bitwiseAnd(const Affine &left, const Affine &right, const Expr *at, const ValueScope &scope) {
  if (!left || !right)
    return !left ? left : right;
  if (left.constant() && right.constant())
    return *left.constant() & *right.constant();
  const Affine &value = right.constant() ? left : right;
  auto mask = right.constant() ? right.constant() : left.constant();
  auto isPowerOfTwo = [](int64_t n) { return n > 0 && (n & (n - 1)) == 0; };
  if (mask && *mask == 0)
    return 0;
  // x & 31 is x mod 32 and x & ~31 the rest of it, for two's complement numbers of either sign.
  if (mask && isPowerOfTwo(*mask + 1))
    return *value - floorDivide(*value, *mask + 1, scope.symbols) * (*mask + 1);
  if (mask && isPowerOfTwo(-*mask))
    return floorDivide(*value, -*mask, scope.symbols) * -*mask;
  if (auto uniform =
          uniformOf(fmt::format("({} & {})", left->str(), right->str()), {&left, &right}, false, scope))
    return uniform->integer;
  return Affine::not_("'&' with a mask that is not one run of low or high bits", scope.location(at));
}

/// x ^ m and x | m for a constant m with at most one bit set: with bit = floor(x/m) mod 2,
/// x ^ m = x + m*(1 - 2*bit) and x | m = x + m*(1 - bit). Partners of a butterfly are found this way.
std::optional<Affine> withOneBit(BinaryOperatorKind op, const Affine &left, const Affine &right,
                                 SymbolTable &symbols) {
  const Affine &value = right.constant() ? left : right;
  auto mask = right.constant() ? right.constant() : left.constant();
  if (!value || !mask || *mask < 0 || (*mask & (*mask - 1)) != 0 || *mask > (int64_t(1) << 40))
    return std::nullopt;
  if (*mask == 0)
    return value;
  Polynomial bit = floorDivide(*value, *mask, symbols) - floorDivide(*value, 2 * *mask, symbols) * 2;
  return Affine(*value + (Polynomial(1) - bit * (op == BO_Xor ? 2 : 1)) * *mask);
}

} // namespace

std::optional<Value> uniformOf(const std::string &text, const std::vector<const Affine *> &from,
                               bool nonNegative, const ValueScope &scope) {
  std::vector<const Loop *> varies;
  for (const Affine *value : from) {
    if (!*value || (*value)->dependsOnThread())
      return std::nullopt;
    if ((*value)->dependsOnLoop())
      varies = scope.loops();
  }
  return Value{Polynomial(scope.symbols.uniform(text, nonNegative, varies)), std::nullopt, nullptr};
}

std::optional<int64_t> largestValue(const Polynomial &form, const LaunchFacts &facts) {
  int64_t total = 0;
  for (const auto &[monomial, coefficient] : form.terms()) {
    int64_t product = coefficient;
    for (const Symbol *factor : monomial) {
      std::optional<int64_t> most = factor->most;
      if (factor->kind == SymbolKind::ThreadIdx || factor->kind == SymbolKind::BlockDim)
        most = facts.block[factor->dimension].value_or(arch::commonLimits().maxBlockDim[factor->dimension]);
      if (factor->numerator)
        if (auto inner = largestValue(*factor->numerator, facts))
          most = *inner / factor->divisor;
      if (!most || coefficient < 0 || __builtin_mul_overflow(product, *most, &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(total, product, &total))
      return std::nullopt;
  }
  return total;
}

Condition conditionOf(const Value &value) {
  if (value.truth)
    return *value.truth;
  return value.integer ? Condition::compare(*value.integer, "!=", Polynomial()) : Condition::unknown();
}

Value truthValue(Condition condition, const SourceLocation &location) {
  return {Affine::not_("a truth value", location), std::nullopt,
          std::make_shared<Condition>(std::move(condition))};
}

Value comparison(const std::string &op, const Value &left, const Value &right) {
  Condition truth = Condition::unknown();
  if (left.integer && right.integer)
    truth = Condition::compare(*left.integer, op, *right.integer);
  if (left.truth && right.integer.constant() && (op == "==" || op == "!=")) // (a < b) == 0
    truth = ((*right.integer.constant() == 0) == (op == "==")) ? left.truth->negated() : *left.truth;
  return truthValue(truth, {});
}

Value integerCast(Value value, QualType from, QualType to, const Expr *at, const ValueScope &scope) {
  if (!value.integer || value.integer.constant())
    return value;
  unsigned width = scope.context().getIntWidth(to);
  unsigned before = scope.context().getIntWidth(from);
  auto most = largestValue(*value.integer, scope.facts);
  bool fits = most && value.integer->isNonNegative() && *most < (int64_t(1) << (width - 1));
  if (width < 32 && before >= 32 && !fits) {
    value.integer = Affine::not_("narrowed to fewer than 32 bits", scope.location(at));
    return value;
  }
  if (width > before && from->isUnsignedIntegerType() && !value.integer->isNonNegative())
    value.integer.assumesNoWrap = true;
  if (width < before)
    value.integer.assumesNoWrap = true;
  return value;
}

Value arithmetic(BinaryOperatorKind op, const Value &left, const Value &right, QualType type, const Expr *at,
                 const ValueScope &scope) {
  SourceLocation location = scope.location(at);
  if (left.pointer && (op == BO_Add || op == BO_Sub)) {
    if (!right.pointer)
      return moved(*left.pointer, op == BO_Add ? right.integer : subtract(Affine(0), right.integer, location),
                   location, scope.context());
    if (op == BO_Sub && left.pointer->array == right.pointer->array && left.pointer->array) {
      Affine bytes = subtract(left.pointer->offset, right.pointer->offset, location);
      int64_t size = bytesOf(left.pointer->pointee, scope.context());
      if (auto elements = bytes && size ? bytes->dividedBy(size) : std::nullopt)
        return {*elements, std::nullopt, nullptr};
    }
    return Value::unknown("difference of two pointers", location);
  }
  if (right.pointer && op == BO_Add)
    return moved(*right.pointer, left.integer, location, scope.context());
  if (!type->isIntegralOrEnumerationType() && !type->isPointerType())
    return Value::unknown("not an integer", location);

  const Affine &a = left.integer, &b = right.integer;
  auto number = [](Affine value) { return Value{std::move(value), std::nullopt, nullptr}; };
  switch (op) {
  case BO_Add: return number(add(a, b, location));
  case BO_Sub: {
    Affine difference = subtract(a, b, location);
    if (difference && type->isUnsignedIntegerType() && !difference->isNonNegative())
      difference.assumesNoWrap = true;
    return number(difference);
  }
  case BO_Mul: return number(multiply(a, b, location));
  case BO_Div: return number(divide(a, b, Division::Quotient, at, scope));
  case BO_Rem: return number(divide(a, b, Division::Remainder, at, scope));
  case BO_Shr:
    if (auto count = b.constant(); count && *count >= 0 && *count < 62)
      return number(divide(a, Affine(int64_t(1) << *count), Division::Shift, at, scope));
    break;
  case BO_Shl:
    if (auto count = b.constant(); count && *count >= 0 && *count < 62)
      return number(multiply(a, Affine(int64_t(1) << *count), location));
    break;
  case BO_And: return number(bitwiseAnd(a, b, at, scope));
  case BO_Or:
  case BO_Xor:
    if (a.constant() && b.constant())
      return number(op == BO_Or ? *a.constant() | *b.constant() : *a.constant() ^ *b.constant());
    if (auto bits = withOneBit(op, a, b, scope.symbols))
      return number(*bits);
    break;
  default: break;
  }
  if (!a || !b)
    return number(!a ? a : b);
  if (auto uniform =
          uniformOf(fmt::format("({} {} {})", a->str(), BinaryOperator::getOpcodeStr(op).str(), b->str()),
                    {&a, &b}, a->isNonNegative() && b->isNonNegative(), scope))
    return *uniform;
  return Value::unknown(
      fmt::format("'{}' of values that differ by thread", BinaryOperator::getOpcodeStr(op).str()), location);
}

} // namespace heddle::analysis::walk
