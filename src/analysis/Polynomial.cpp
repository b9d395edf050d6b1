// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polynomials over the symbols of a kernel, in one canonical form.
//
// An index such as (threadIdx.x + 32*i) / 8 must compare equal however it was written, so a value is a sum of
// monomials with integer coefficients, sorted by MonomialOrder; equal values have equal maps.
//
// 1. Division by a constant rounds down and becomes a symbol floor(rest / d) after all that can leave the
//    division has left it: floor((d*q + r) / d) = q + floor(r / d). Nested divisions are merged,
//    floor(floor(a / b) / c) = floor(a / (b*c)), so that they too have one form.
// 2. Remainders are differences: x mod d = x - d*floor(x / d).
// 3. Substituting a symbol also substitutes inside the numerators of floors.
// 4. Coefficients are 64-bit; an overflow marks the polynomial as poisoned instead of wrapping.
//
// C++ rounds towards zero: callers use a floor only for what is not negative, or is divisible
// (walk/Arithmetic.cpp). Not done: relations between floors and their numerators (x = 8*floor(x/8) + x mod 8
// is known by form only); the integer system of PairSystem.cpp adds them as inequalities. Cost: products are
// quadratic in the number of terms.
#include "analysis/Polynomial.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::analysis {
namespace {

bool comesBefore(const Symbol *a, const Symbol *b) {
  if (a->kind != b->kind)
    return a->kind < b->kind;
  // y before x: rows are written before columns, as in threadIdx.y*width + threadIdx.x.
  if (a->dimension != b->dimension)
    return a->dimension > b->dimension;
  return a->id < b->id; // not by name: a loop's counter gets its name after it is in use
}

std::string printed(const Monomial &monomial) {
  std::string text;
  for (const Symbol *factor : monomial)
    text += (text.empty() ? "" : "*") + factor->name;
  return text;
}

} // namespace

bool MonomialOrder::operator()(const Monomial &a, const Monomial &b) const {
  if (a.size() != b.size())
    return a.size() > b.size();
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i])
      return comesBefore(a[i], b[i]);
  return false;
}

Polynomial::Polynomial(const Symbol *symbol) { add({symbol}, 1); }

void Polynomial::add(const Monomial &monomial, int64_t coefficient) {
  int64_t &total = sum[monomial];
  isPoisoned |= __builtin_add_overflow(total, coefficient, &total);
  if (total == 0)
    sum.erase(monomial);
}

Polynomial operator+(const Polynomial &a, const Polynomial &b) {
  Polynomial result = a;
  result.isPoisoned |= b.isPoisoned;
  for (const auto &[monomial, coefficient] : b.sum)
    result.add(monomial, coefficient);
  return result;
}

Polynomial operator-(const Polynomial &a, const Polynomial &b) { return a + b * Polynomial(-1); }

Polynomial operator*(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  result.isPoisoned = a.isPoisoned || b.isPoisoned;
  for (const auto &[left, leftCoefficient] : a.sum)
    for (const auto &[right, rightCoefficient] : b.sum) {
      int64_t coefficient = 0;
      result.isPoisoned |= __builtin_mul_overflow(leftCoefficient, rightCoefficient, &coefficient);
      Monomial product = left;
      product.insert(product.end(), right.begin(), right.end());
      std::sort(product.begin(), product.end(), comesBefore);
      result.add(product, coefficient);
    }
  return result;
}

std::optional<int64_t> Polynomial::constant() const {
  if (sum.empty())
    return 0;
  if (sum.size() == 1 && sum.begin()->first.empty())
    return sum.begin()->second;
  return std::nullopt;
}

int64_t Polynomial::constantTerm() const {
  auto at = sum.find({});
  return at == sum.end() ? 0 : at->second;
}

unsigned Polynomial::degree() const { return sum.empty() ? 0 : unsigned(sum.begin()->first.size()); }

bool Polynomial::mentions(const Symbol *symbol) const {
  return mentionsAny([&](const Symbol &s) { return &s == symbol; });
}

bool Polynomial::mentionsAny(const std::function<bool(const Symbol &)> &wanted) const {
  for (const auto &term : sum)
    for (const Symbol *factor : term.first)
      if (wanted(*factor) || (factor->numerator && factor->numerator->mentionsAny(wanted)))
        return true;
  return false;
}

bool Polynomial::dependsOnThread() const {
  return mentionsAny([](const Symbol &s) { return s.dependsOnThread(); });
}

bool Polynomial::dependsOnThread(unsigned dimension) const {
  return mentionsAny(
      [&](const Symbol &s) { return s.kind == SymbolKind::ThreadIdx && s.dimension == dimension; });
}

bool Polynomial::dependsOnLoop() const {
  return mentionsAny([](const Symbol &s) { return s.dependsOnLoop(); });
}

bool Polynomial::isNonNegative() const {
  for (const auto &[monomial, coefficient] : sum) {
    if (coefficient < 0)
      return false;
    for (const Symbol *factor : monomial)
      if (!factor->isNonNegative)
        return false;
  }
  return true;
}

std::optional<Polynomial> Polynomial::coefficient(const Symbol *symbol) const {
  Polynomial result;
  for (const auto &[monomial, coefficient] : sum) {
    auto count = std::count(monomial.begin(), monomial.end(), symbol);
    if (count > 1)
      return std::nullopt;
    if (count == 0)
      continue;
    Monomial rest = monomial;
    rest.erase(std::find(rest.begin(), rest.end(), symbol));
    result.add(rest, coefficient);
  }
  return result;
}

std::optional<Polynomial> Polynomial::dividedBy(int64_t divisor) const {
  Polynomial result;
  for (const auto &[monomial, coefficient] : sum) {
    if (divisor == 0 || coefficient % divisor != 0)
      return std::nullopt;
    result.add(monomial, coefficient / divisor);
  }
  return result;
}

std::optional<int64_t> Polynomial::multipleOf(const Polynomial &divisor) const {
  if (divisor.isZero() || isPoisoned || divisor.isPoisoned)
    return std::nullopt;
  const auto &[product, coefficient] = *divisor.sum.begin();
  const auto here = sum.find(product);
  if (here == sum.end())
    return isZero() ? std::optional<int64_t>(0) : std::nullopt;
  if (here->second % coefficient != 0)
    return std::nullopt;
  const int64_t factor = here->second / coefficient;
  return *this == divisor * Polynomial(factor) ? std::optional(factor) : std::nullopt;
}

Polynomial Polynomial::substituted(const Symbol *symbol, const Polynomial &value, SymbolTable *table) const {
  Polynomial result;
  result.isPoisoned = isPoisoned;
  for (const auto &[monomial, coefficient] : sum) {
    Polynomial term(coefficient);
    for (const Symbol *factor : monomial) {
      if (factor == symbol)
        term = term * value;
      else if (table && factor->numerator && factor->numerator->mentions(symbol))
        term =
            term * floorDivide(factor->numerator->substituted(symbol, value, table), factor->divisor, *table);
      else
        term = term * Polynomial(factor);
    }
    result = result + term;
  }
  return result;
}

int64_t Polynomial::evaluate(const std::function<int64_t(const Symbol &)> &valueOf) const {
  int64_t total = 0;
  for (const auto &[monomial, coefficient] : sum) {
    int64_t product = coefficient;
    for (const Symbol *factor : monomial)
      product *= factor->numerator ? floorDivide(factor->numerator->evaluate(valueOf), factor->divisor)
                                   : valueOf(*factor);
    total += product;
  }
  return total;
}

std::string Polynomial::str() const {
  if (sum.empty())
    return "0";
  std::string text;
  for (const auto &[monomial, coefficient] : sum) {
    uint64_t size = coefficient < 0 ? -uint64_t(coefficient) : uint64_t(coefficient);
    text += text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    if (monomial.empty())
      text += fmt::format("{}", size);
    else
      text += size == 1 ? printed(monomial) : fmt::format("{}*{}", size, printed(monomial));
  }
  return text;
}

int64_t floorDivide(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }

int64_t floorRemainder(int64_t a, int64_t b) { return a - floorDivide(a, b) * b; }

Polynomial floorDivide(const Polynomial &numerator, int64_t divisor, SymbolTable &table) {
  // floor((d*q + r) / d) = q + floor(r / d), term by term; constants leave their remainder inside.
  Polynomial whole, rest;
  for (const auto &[monomial, coefficient] : numerator.terms()) {
    Polynomial term(1);
    for (const Symbol *factor : monomial)
      term = term * Polynomial(factor);
    int64_t inside =
        monomial.empty() || coefficient % divisor == 0 ? floorRemainder(coefficient, divisor) : coefficient;
    whole = whole + term * Polynomial((coefficient - inside) / divisor);
    rest = rest + term * Polynomial(inside);
  }
  if (auto value = rest.constant())
    return whole + Polynomial(floorDivide(*value, divisor));
  // floor(floor(a / b) / c) = floor(a / (b*c)): nested divisions have one form.
  if (rest.terms().size() == 1 && rest.terms().begin()->second == 1 &&
      rest.terms().begin()->first.size() == 1) {
    const Symbol *only = rest.terms().begin()->first.front();
    int64_t product = 0;
    if (only->numerator && !__builtin_mul_overflow(only->divisor, divisor, &product))
      return whole + floorDivide(*only->numerator, product, table);
  }
  return whole + Polynomial(table.floorOf(rest, divisor));
}

} // namespace heddle::analysis
