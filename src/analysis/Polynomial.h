// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "analysis/Symbol.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::analysis {

/// A product of symbols, sorted; empty for the constant term.
using Monomial = std::vector<const Symbol *>;

/// The order terms are kept and printed in: higher degree first, then by kind, then by name, the constant
/// last.
struct MonomialOrder {
  bool operator()(const Monomial &a, const Monomial &b) const;
};

/// A whole-number polynomial over symbols, in canonical form: two are equal exactly when their terms are.
///
/// Arithmetic is exact. A coefficient that leaves 64 bits poisons the result: `overflowed` says so, and such a value must not be
/// used.
class Polynomial {
public:
  using Terms = std::map<Monomial, int64_t, MonomialOrder>;

  Polynomial() = default;
  /// A template so that a literal 0 is a number and not a null symbol.
  template <std::integral Number> Polynomial(Number constant) { add({}, int64_t(constant)); }
  explicit Polynomial(const Symbol *symbol);

  friend Polynomial operator+(const Polynomial &a, const Polynomial &b);
  friend Polynomial operator-(const Polynomial &a, const Polynomial &b);
  friend Polynomial operator*(const Polynomial &a, const Polynomial &b);
  Polynomial operator-() const { return Polynomial(0) - *this; }
  bool operator==(const Polynomial &other) const { return sum == other.sum; }

  const Terms &terms() const { return sum; }
  bool overflowed() const { return isPoisoned; }
  bool isZero() const { return sum.empty(); }
  /// The value where there are no symbols.
  std::optional<int64_t> constant() const;
  int64_t constantTerm() const;
  unsigned degree() const;
  bool mentions(const Symbol *symbol) const;
  /// True where some term has a symbol for which `wanted` holds.
  bool mentionsAny(const std::function<bool(const Symbol &)> &wanted) const;
  bool dependsOnThread() const;
  /// True where `threadIdx.<dimension>` occurs, itself or inside a floor.
  bool dependsOnThread(unsigned dimension) const;
  bool dependsOnLoop() const;
  /// All coefficients and symbols are known not to be negative. False says nothing.
  bool isNonNegative() const;

  /// What `symbol` is multiplied by: 4*n for `tid` in 4*n*tid + 1. Nothing where it occurs with itself in a
  /// product.
  std::optional<Polynomial> coefficient(const Symbol *symbol) const;
  /// This divided by a number, where all coefficients are multiples of it.
  std::optional<Polynomial> dividedBy(int64_t divisor) const;
  /// How many times `divisor` this is: 2 for 2*w and w. Nothing where no number is.
  std::optional<int64_t> multipleOf(const Polynomial &divisor) const;
  /// With `value` in the place of `symbol`. Floors are opened where `table` is given.
  Polynomial substituted(const Symbol *symbol, const Polynomial &value, SymbolTable *table = nullptr) const;
  int64_t evaluate(const std::function<int64_t(const Symbol &)> &valueOf) const;

  /// "16*blockIdx.x + threadIdx.x + 1"
  std::string str() const;

private:
  void add(const Monomial &monomial, int64_t coefficient);
  Terms sum;
  bool isPoisoned = false;
};

/// Division rounding to minus infinity, and what it leaves (never negative for a positive divisor).
int64_t floorDivide(int64_t a, int64_t b);
int64_t floorRemainder(int64_t a, int64_t b);

/// floor(numerator / divisor), divisor > 0: what is a multiple of the divisor is divided out, the rest is a
/// symbol.
Polynomial floorDivide(const Polynomial &numerator, int64_t divisor, SymbolTable &table);

} // namespace heddle::analysis
