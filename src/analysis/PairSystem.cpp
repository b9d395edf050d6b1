// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two instances of accesses as one system of integer constraints.
//
// Whether two threads can touch the same element is a question about integers: is there a thread p and a
// thread q of one block, with iterations of their loops, such that both guards hold and both indices are
// equal? This file collects the unknowns and what is known of them; isl decides.
//
//     s[threadIdx.x] = 0;  ... s[threadIdx.x + 1]      p.x = q.x + 1,  0 <= p.x, q.x < 128,  p.x != q.x
//
// 1. Each symbol of a polynomial becomes an unknown: two of them, one for each side, where its value may
//    differ between the two instances (thread indices, iterations, what varies in a loop); one for both where
//    it may not (parameters, blockIdx, iterations of loops that are known to be equal).
// 2. A product of symbols becomes an unknown of its own, of which only the sign is known. So a non-linear
//    index gives a system with more solutions than the program has: a conflict may be reported that cannot
//    happen, never the other way round.
// 3. Facts are added with the unknowns: thread indices are below the block's size, counters below their trip
//    counts, floor(n / d) lies between d*f <= n < d*f + d, and the same for a quotient that is rounded towards zero.
// 4. Conditions of guards become formulas; one that is not known becomes "always", and the caller learns of it.
//
// Conjunctions go into one system of constraints; only disjunctions are made of several sets. Cost: that of
// isl on a few dozen constraints; it grows fast with the number of disjunctions.
#include "analysis/PairSystem.h"

#include "arch/Common.h"
#include "source/Unit.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <algorithm>

namespace heddle::analysis {
namespace {

/// The hardware's limit on a block in each dimension, for blocks that are not known.

void addTo(LinearForm &total, const LinearForm &form, int64_t factor) {
  total.coefficients.resize(std::max(total.coefficients.size(), form.coefficients.size()));
  for (size_t i = 0; i < form.coefficients.size(); ++i)
    total.coefficients[i] += factor * form.coefficients[i];
  total.constant += factor * form.constant;
}

LinearForm shifted(LinearForm form, int64_t constant) {
  form.constant += constant;
  return form;
}

LinearForm negative(const LinearForm &form) { return LinearForm{} - form; }

/// The terms of a sum, as written.
void termsOf(const clang::Expr *sum, std::vector<const clang::Expr *> &terms) {
  auto *binary = clang::dyn_cast<clang::BinaryOperator>(sum->IgnoreParenImpCasts());
  if (!binary || binary->getOpcode() != clang::BO_Add) {
    terms.push_back(sum->IgnoreParens());
    return;
  }
  termsOf(binary->getLHS(), terms);
  termsOf(binary->getRHS(), terms);
}

/// The constant that a product is made with; 0 where it is none.
int64_t constantFactor(const clang::Expr *term, const clang::ASTContext &context) {
  auto *product = clang::dyn_cast<clang::BinaryOperator>(term->IgnoreParenImpCasts());
  if (!product || product->getOpcode() != clang::BO_Mul)
    return 0;
  for (const clang::Expr *factor : {product->getLHS(), product->getRHS()})
    if (clang::Expr::EvalResult value; !factor->isValueDependent() && factor->EvaluateAsInt(value, context))
      return value.Val.getInt().getExtValue();
  return 0;
}

} // namespace

LinearForm operator-(const LinearForm &a, const LinearForm &b) {
  LinearForm result = a;
  addTo(result, b, -1);
  return result;
}

Formula below(const LinearForm &form) { return Formula::atLeast(shifted(negative(form), -1)); }

Formula differs(const LinearForm &form) { return Formula::any({below(form), below(negative(form))}); }

PairSystem::PairSystem(const Accesses &theAccesses, const std::vector<const Loop *> &loops, Threads whose)
    : accesses(theAccesses), equalLoops(loops), threads(whose) {
  for (unsigned side : {0u, 1u})
    for (unsigned d = 0; d < 3; ++d) {
      LinearForm index = thread(side, d);
      known.push_back(Formula::atLeast(index));
      if (auto extent = accesses.launch().block[d])
        known.push_back(below(shifted(index, -*extent)));
      else if (!accesses.usesThreadDimension(d))
        known.push_back(Formula::equal(index));
      else
        known.push_back(below(index - linear(Polynomial(accesses.symbols().blockDim(d)), 0)));
    }
}

LinearForm PairSystem::of(unsigned dimension, int64_t coefficient) const {
  LinearForm form;
  form.coefficients.resize(dimension + 1);
  form.coefficients[dimension] = coefficient;
  return form;
}

LinearForm PairSystem::thread(unsigned side, unsigned dimension) const {
  return of(threads == Threads::Same ? dimension : 3 * side + dimension, 1);
}

bool PairSystem::isShared(const Symbol &symbol) const {
  switch (symbol.kind) {
  case SymbolKind::ThreadIdx: return threads == Threads::Same;
  case SymbolKind::Iteration:
    return std::find(equalLoops.begin(), equalLoops.end(), symbol.loop) != equalLoops.end();
  case SymbolKind::Floor:
    return !symbol.numerator->mentionsAny(
        [&](const Symbol &inner) { return !inner.numerator && !isShared(inner); });
  default:
    return std::all_of(symbol.variesIn.begin(), symbol.variesIn.end(), [&](const Loop *loop) {
      return std::find(equalLoops.begin(), equalLoops.end(), loop) != equalLoops.end();
    });
  }
}

bool PairSystem::isShared(const Monomial &monomial) const {
  return std::all_of(monomial.begin(), monomial.end(), [&](const Symbol *s) { return isShared(*s); });
}

unsigned PairSystem::dimensionFor(const Monomial &monomial, unsigned side) {
  const Symbol &first = *monomial.front();
  if (monomial.size() == 1 && first.kind == SymbolKind::ThreadIdx)
    return threads == Threads::Same ? first.dimension : 3 * side + first.dimension;
  auto [at, isNew] = dimensions.try_emplace({isShared(monomial) ? 2 : side, monomial}, count);
  if (!isNew)
    return at->second;
  unsigned dimension = count++;
  bool isNonNegative =
      std::all_of(monomial.begin(), monomial.end(), [](const Symbol *s) { return s->isNonNegative; });
  if (isNonNegative)
    known.push_back(Formula::atLeast(of(dimension, 1)));
  if (monomial.size() > 1)
    return dimension;
  if (first.most)
    known.push_back(Formula::atLeast(shifted(of(dimension, -1), *first.most)));
  if (first.kind == SymbolKind::BlockDim) {
    known.push_back(Formula::atLeast(shifted(of(dimension, 1), -1)));
    known.push_back(Formula::atLeast(
        shifted(of(dimension, -1), int64_t(arch::commonLimits().maxBlockDim[first.dimension]))));
  }
  if (first.kind == SymbolKind::BlockIdx) {
    auto extent = accesses.launch().grid[first.dimension];
    Polynomial blocks =
        extent ? Polynomial(*extent) : Polynomial(accesses.symbols().gridDim(first.dimension));
    known.push_back(below(of(dimension, 1) - linear(blocks, side)));
  }
  if (first.numerator) { // d*f <= numerator < d*f + d
    LinearForm rest = linear(*first.numerator, side) - of(dimension, first.divisor);
    known.push_back(Formula::atLeast(rest));
    known.push_back(below(shifted(rest, -first.divisor)));
  }
  if (first.dividend) { // 0 <= dividend - d*q < d, or the same of the negative numbers
    const LinearForm dividend = linear(*first.dividend, side), rest = dividend - of(dimension, first.divisor);
    known.push_back(Formula::any({Formula::all({Formula::atLeast(dividend), Formula::atLeast(rest),
                                                below(shifted(rest, -first.divisor))}),
                                  Formula::all({below(dividend), Formula::atLeast(negative(rest)),
                                                below(shifted(negative(rest), -first.divisor))})}));
  }
  return dimension;
}

LinearForm PairSystem::linear(const Polynomial &form, unsigned side) {
  LinearForm total;
  for (const auto &[monomial, coefficient] : form.terms()) {
    if (monomial.empty())
      total.constant += coefficient;
    else
      addTo(total, of(dimensionFor(monomial, side), coefficient), 1);
  }
  return total;
}

LinearForm PairSystem::counter(const Loop *loop, unsigned side) {
  return linear(Polynomial(loop->counter), side);
}

Formula PairSystem::formula(const Condition &condition, unsigned side) {
  switch (condition.kind) {
  case Condition::Kind::Unknown: return Formula::always();
  case Condition::Kind::AtLeast: return Formula::atLeast(linear(condition.form, side));
  case Condition::Kind::Equal: return Formula::equal(linear(condition.form, side));
  case Condition::Kind::NotEqual: return differs(linear(condition.form, side));
  case Condition::Kind::And:
  case Condition::Kind::Or: break;
  }
  std::vector<Formula> parts;
  for (const Condition &part : condition.parts)
    parts.push_back(formula(part, side));
  return condition.kind == Condition::Kind::And ? Formula::all(std::move(parts))
                                                : Formula::any(std::move(parts));
}

Formula PairSystem::domain(const Access &access, unsigned side, bool &sawUnknown) {
  std::vector<Formula> parts;
  for (const Guard *guard = access.guards.get(); guard; guard = guard->outer.get()) {
    sawUnknown |= guard->condition.hasUnknown();
    parts.push_back(formula(guard->condition, side));
  }
  return Formula::all(std::move(parts));
}

Formula PairSystem::insideRows(const Access &access, unsigned side) {
  std::vector<Formula> parts;
  const std::vector<int64_t> &extents = access.array->extents;
  for (size_t i = 0; i < extents.size() && extents.size() == access.subscripts.size(); ++i)
    if (access.subscripts[i]) {
      LinearForm subscript = linear(*access.subscripts[i], side);
      parts.push_back(Formula::atLeast(subscript));
      parts.push_back(below(shifted(subscript, -extents[i])));
    }
  return Formula::all(std::move(parts));
}

Formula PairSystem::insideWrittenRows(const Access &access, unsigned side) {
  auto *element = clang::dyn_cast_or_null<clang::ArraySubscriptExpr>(access.expression);
  if (!element || !access.array->extents.empty())
    return Formula::always();
  std::vector<const clang::Expr *> terms;
  termsOf(element->getIdx(), terms);
  int64_t length = 0;
  Polynomial place;
  for (const clang::Expr *term : terms) {
    if (int64_t factor = constantFactor(term, accesses.kernel().unit->context()); factor > 1) {
      length = length ? std::min(length, factor) : factor;
      continue;
    }
    const Affine *value = accesses.valueOf(term);
    if (!value || !*value)
      return Formula::always();
    place = place + **value;
  }
  if (!length)
    return Formula::always();
  LinearForm at = linear(place, side);
  return Formula::all({Formula::atLeast(at), below(shifted(at, -length))});
}

Formula PairSystem::relation(const RegionPair &pair) {
  std::vector<Formula> parts;
  for (const auto &[loop, how] : pair.loops) {
    if (how == Relation::Any || how == Relation::Equal) // equal counters are one unknown already
      continue;
    LinearForm later = counter(loop, 1) - counter(loop, 0);
    if (how == Relation::After || how == Relation::Previous)
      later = negative(later);
    bool isNeighbour = how == Relation::Next || how == Relation::Previous;
    parts.push_back(isNeighbour ? Formula::equal(shifted(later, -1)) : Formula::atLeast(shifted(later, -1)));
  }
  return Formula::all(std::move(parts));
}

Formula PairSystem::threadsDiffer() {
  std::vector<Formula> ways;
  for (unsigned d = 0; d < 3; ++d)
    if (accesses.usesThreadDimension(d))
      ways.push_back(differs(thread(1, d) - thread(0, d)));
  return Formula::any(std::move(ways));
}

Formula PairSystem::threadOrder() {
  std::vector<Formula> ways, equalSoFar;
  for (unsigned d : {2u, 1u, 0u}) {
    LinearForm distance = thread(1, d) - thread(0, d);
    std::vector<Formula> way = equalSoFar;
    way.push_back(below(negative(distance)));
    ways.push_back(Formula::all(std::move(way)));
    equalSoFar.push_back(Formula::equal(distance));
  }
  return Formula::any(std::move(ways));
}

Formula PairSystem::warpsDiffer() {
  const auto &block = accesses.launch().block;
  auto rank = [&](unsigned side) -> std::optional<LinearForm> {
    LinearForm sum = thread(side, 0);
    int64_t row = 1;
    for (unsigned d = 1; d < 3; ++d) {
      if (!accesses.usesThreadDimension(d))
        continue;
      if (!block[d - 1])
        return std::nullopt;
      row *= *block[d - 1];
      addTo(sum, thread(side, d), row);
    }
    return sum;
  };
  auto p = rank(0), q = rank(1);
  if (!p || !q)
    return Formula::always(); // does not know which threads share a warp
  LinearForm warps[2];
  for (unsigned side : {0u, 1u}) {
    unsigned dimension = count++;
    LinearForm rest = (side ? *q : *p) - of(dimension, 32);
    known.push_back(Formula::atLeast(rest));
    known.push_back(below(shifted(rest, -32)));
    warps[side] = of(dimension, 1);
  }
  return differs(warps[1] - warps[0]);
}

Formula PairSystem::facts() { return Formula::all(known); }

/// Leaves of nested conjunctions go into one system of constraints; only disjunctions are intersected as
/// sets.
void PairSystem::flatten(const Formula &formula, Conjunction &into) const {
  switch (formula.kind) {
  case Formula::Kind::AtLeast: into.inequalities.push_back(formula.form); break;
  case Formula::Kind::Equal: into.equalities.push_back(formula.form); break;
  case Formula::Kind::Or: into.choices.push_back(&formula); break;
  case Formula::Kind::And:
    for (const Formula &part : formula.parts)
      flatten(part, into);
  }
}

IslSet PairSystem::solve(const Formula &formula, const IslContext &context) const {
  Conjunction all;
  flatten(formula, all);
  IslSet result = IslSet::where(context, count, all.equalities, all.inequalities);
  for (const Formula *choice : all.choices) {
    IslSet ways = IslSet::none(context, count);
    for (const Formula &way : choice->parts)
      ways = std::move(ways) | solve(way, context);
    result = std::move(result) & std::move(ways);
  }
  return result;
}

} // namespace heddle::analysis
