// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question that loop transforms ask, put to isl: is there a thread, and are there two iterations so far
// apart, for which both accesses happen and touch a common byte? The unknowns are those of PairSystem with
// one thread for both sides.
//
// The symbolic walk takes some liberties that are right for finding races and would be wrong here. It names a
// value loaded from memory by its text, so two loads of `s[k]` look alike though `k` changed between them;
// and it takes unsigned numbers not to wrap around, also before they are divided or masked. Forms that rest
// on either are not used, neither as addresses nor as conditions.
#include "analysis/LoopDependences.h"

#include "analysis/Overlap.h"
#include "analysis/PointersApart.h"
#include "arch/Common.h"

#include <algorithm>

namespace heddle::analysis {
namespace {

/// isl's operations for one question. Those of real loops take some hundreds.
constexpr unsigned long mostOperations = 200'000;

/// Numbers beyond this may be negative ones in disguise (`i + 0xffffffffu`).
constexpr int64_t mostPlain = int64_t(1) << 31;

bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

LinearForm plus(LinearForm form, int64_t constant) {
  form.constant += constant;
  return form;
}

/// A name of the walk's own making: what was loaded somewhere, what a branch or a call left.
bool isNamedByText(const Symbol &symbol) {
  return symbol.kind == SymbolKind::Uniform && symbol.name.find_first_of("[@") != std::string::npos;
}

} // namespace

std::optional<std::pair<int64_t, int64_t>> LoopDependences::rangeOf(const Polynomial &form) const {
  int64_t least = 0, largest = 0;
  for (const auto &[monomial, coefficient] : form.terms()) {
    int64_t most = 1;
    for (const Symbol *factor : monomial) {
      std::optional<int64_t> limit = factor->most;
      if (factor->kind == SymbolKind::ThreadIdx)
        limit = int64_t(arch::commonLimits().maxBlockDim[factor->dimension]) - 1;
      if (factor->kind == SymbolKind::BlockDim)
        limit = arch::commonLimits().maxBlockDim[factor->dimension];
      if (factor->numerator)
        if (auto inner = rangeOf(*factor->numerator); inner && inner->first >= 0)
          limit = inner->second / factor->divisor;
      if (!limit || !factor->isNonNegative || __builtin_mul_overflow(most, *limit, &most))
        return std::nullopt;
    }
    int64_t end = 0;
    if (__builtin_mul_overflow(most, coefficient, &end))
      return std::nullopt;
    (end < 0 ? least : largest) += end;
    if (monomial.empty())
      (end < 0 ? largest : least) += end;
    if (std::abs(least) > mostPlain || std::abs(largest) > mostPlain)
      return std::nullopt;
  }
  return std::pair(least, largest);
}

bool LoopDependences::isReliable(const Polynomial &form) const {
  if (form.overflowed())
    return false;
  const Symbol *floor = nullptr;
  for (const auto &[monomial, coefficient] : form.terms()) {
    if (std::abs(coefficient) >= mostPlain)
      return false;
    for (const Symbol *factor : monomial) {
      if (isNamedByText(*factor) || (factor->numerator && !isReliable(*factor->numerator)))
        return false;
      bool mayHaveWrapped = dividesUnsigned && factor->numerator && factor->dependsOnLoop();
      if (mayHaveWrapped)
        if (auto range = rangeOf(*factor->numerator);
            !range || range->first < 0 || range->second >= mostPlain)
          floor = factor;
    }
  }
  if (!floor)
    return true;
  // What is divided may have wrapped around before, so the quotient is not known. A remainder by a power of
  // two is right even then: in A*x - A*d*floor(x/d) nothing is left of x itself.
  std::optional<Polynomial> coefficient = form.coefficient(floor);
  std::optional<int64_t> number = coefficient ? coefficient->constant() : std::nullopt;
  if (!number || !isPowerOfTwo(floor->divisor) || *number % floor->divisor)
    return false;
  Polynomial rest = form - Polynomial(floor) * Polynomial(*number) +
                    *floor->numerator * Polynomial(*number / floor->divisor);
  auto isLeft = [&](const Symbol &symbol) {
    return symbol.dependsOnLoop() && floor->numerator->mentions(&symbol);
  };
  return !rest.mentionsAny(isLeft) && isReliable(rest);
}

bool LoopDependences::isReliable(const Condition &condition) const {
  switch (condition.kind) {
  case Condition::Kind::Unknown: return false;
  case Condition::Kind::AtLeast:
  case Condition::Kind::Equal:
  case Condition::Kind::NotEqual: return isReliable(condition.form);
  case Condition::Kind::And:
  case Condition::Kind::Or: break;
  }
  return std::all_of(condition.parts.begin(), condition.parts.end(),
                     [&](const Condition &part) { return isReliable(part); });
}

Formula LoopDependences::domain(PairSystem &system, const Access &access, unsigned side) const {
  std::vector<Formula> parts;
  for (const Guard *guard = access.guards.get(); guard; guard = guard->outer.get())
    if (isReliable(guard->condition))
      parts.push_back(system.formula(guard->condition, side));
  return Formula::all(std::move(parts));
}

bool LoopDependences::staysInRow(const Access &access, const Polynomial &index, const Polynomial &length) {
  PairSystem system(accesses, {}, Threads::Same);
  Formula inDomain = domain(system, access, 0);
  LinearForm place = system.linear(index, 0);
  Formula outside = Formula::any({below(place), Formula::atLeast(place - system.linear(length, 0))});
  Formula facts = system.facts();
  return system.solve(Formula::all({facts, inDomain, outside}), context).isEmpty().value_or(false);
}

std::optional<LoopDependence> LoopDependences::between(const Access &first, const Access &second,
                                                       const Iterations &iterations) {
  if (!first.isWrite() && !second.isWrite())
    return std::nullopt;
  LoopDependence found{&first, &second, false, {}, {}};
  if (first.array != second.array) {
    std::optional<std::string> reason = reasonToOverlap(*first.array, *second.array);
    if (!reason)
      return std::nullopt;
    found.reason = *reason;
    if (first.array->isParameter && second.array->isParameter)
      found.hint = "where they never do, declare both pointers __restrict__";
    return found;
  }
  if (first.array->space == Array::Space::Constant)
    return std::nullopt;

  context.allow(mostOperations);
  PairSystem system(accesses, iterations.same, iterations.threads);
  std::vector<Formula> parts = {domain(system, first, 0), domain(system, second, 1)};
  for (const IterationsApart &apart : iterations.apart) {
    LinearForm later = system.counter(apart.second, 1) - system.counter(apart.first, 0);
    if (apart.least)
      parts.push_back(Formula::atLeast(plus(later, -*apart.least)));
    if (apart.most)
      parts.push_back(Formula::atLeast(plus(LinearForm{} - later, *apart.most)));
  }
  Overlap touch;
  touch.exact = touch.may = Formula::always();
  bool hasForm = true;
  for (const Access *access : {&first, &second})
    if (hasForm && (!access->address || !isReliable(*access->address))) {
      hasForm = false;
      found.reason = access->address
                         ? fmt::format("'{}' depends on a value whose form is not known", access->text)
                         : access->address.why().str();
    }
  if (hasForm)
    touch =
        overlap(system, first, second, [&](const Polynomial &index, const Polynomial &length, unsigned side) {
          return staysInRow(side ? second : first, index, length);
        });
  if (!touch.unknownLength.empty())
    found.reason = fmt::format("an index may leave its row of '{}' elements", touch.unknownLength);
  parts.push_back(touch.may);
  Formula facts = system.facts();
  parts.push_back(facts);
  std::optional<bool> isEmpty = system.solve(Formula::all(parts), context).isEmpty();
  if (isEmpty == true)
    return std::nullopt;
  if (!isEmpty)
    found.reason = "the dependence test exceeded its limit";
  found.isCertain = found.reason.empty();
  return found;
}

} // namespace heddle::analysis
