// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// isl knows linear forms only. An address like width*threadIdx.y + threadIdx.x has a product in it, so it is
// taken apart into a row number and a place in the row. Two such addresses are equal if both parts are. They
// are equal only then if the offset is known to be inside the row (0 <= place < width), which guards often
// say. If not, rows may reach into each other, and the answer is 'may'.
#include "analysis/Overlap.h"

#include <algorithm>
#include <numeric>

namespace heddle::analysis {
namespace {

/// Symbols that say where we are, as against those that say how large things are.
bool isPosition(const Symbol &symbol) {
  return symbol.kind == SymbolKind::ThreadIdx || symbol.kind == SymbolKind::BlockIdx ||
         symbol.kind == SymbolKind::Iteration || symbol.dependsOnThread() || symbol.dependsOnLoop();
}

Polynomial product(const Monomial &monomial) {
  Polynomial result(1);
  for (const Symbol *factor : monomial)
    result = result * Polynomial(factor);
  return result;
}

/// The largest number that divides all coefficients.
int64_t stepOf(const Polynomial &index) {
  int64_t step = 0;
  for (const auto &term : index.terms())
    step = std::gcd(step, term.second);
  return step ? step : 1;
}

std::string symbolName(const Monomial &monomial) { return product(monomial).str(); }

/// a / b for monomials; nothing where b does not divide a.
std::optional<Monomial> quotient(const Monomial &a, const Monomial &b) {
  Monomial rest = a;
  for (const Symbol *factor : b) {
    auto at = std::find(rest.begin(), rest.end(), factor);
    if (at == rest.end())
      return std::nullopt;
    rest.erase(at);
  }
  return rest;
}

} // namespace

Rows Rows::of(const Polynomial &address) {
  Rows rows;
  int64_t unit = 0;
  for (const auto &term : address.terms())
    unit = std::gcd(unit, term.second);
  rows.unit = unit ? unit : 1;
  Polynomial scaled = *address.dividedBy(rows.unit);

  std::map<Monomial, Polynomial, MonomialOrder> byLength;
  auto split = [](const Monomial &monomial) {
    std::pair<Monomial, Monomial> lengthAndPosition;
    for (const Symbol *factor : monomial)
      (isPosition(*factor) ? lengthAndPosition.second : lengthAndPosition.first).push_back(factor);
    return lengthAndPosition;
  };
  for (const auto &[monomial, coefficient] : scaled.terms())
    if (auto [length, position] = split(monomial); !length.empty() && !position.empty())
      byLength[length] = byLength[length] + product(position) * coefficient;
  for (const auto &[monomial, coefficient] : scaled.terms()) {
    auto [length, position] = split(monomial);
    if (!length.empty() && !position.empty())
      continue;
    // A bare `width` is one row further.
    if (byLength.count(length) && !length.empty())
      byLength[length] = byLength[length] + Polynomial(coefficient);
    else
      rows.rest = rows.rest + product(monomial) * coefficient;
  }
  for (auto &[length, index] : byLength) // ordered by degree, the longest rows first
    rows.groups.push_back({length, index});
  return rows;
}

namespace {

/// What to name of rows whose lengths are not known to fit into each other: a length that the source has in the index
/// rather than blockDim, which is there as a part of the thread's own number.
const Monomial &writtenLength(const Rows &rows, size_t found) {
  auto isWritten = [](const Rows::Group &group) {
    return std::ranges::none_of(group.length, [](const Symbol *factor) {
      return factor->kind == SymbolKind::BlockDim || factor->kind == SymbolKind::GridDim;
    });
  };
  if (isWritten(rows.groups[found]))
    return rows.groups[found].length;
  const auto written = std::ranges::find_if(rows.groups, isWritten);
  return (written == rows.groups.end() ? rows.groups[found] : *written).length;
}

} // namespace

Overlap overlap(PairSystem &system, const Access &p, const Access &q, const StaysInRow &staysInRow) {
  Rows a = Rows::of(*p.address), b = Rows::of(*q.address);
  // One unit for both. A group that only one side has is index 0 on the other: row 0.
  int64_t unit = std::gcd(a.unit, b.unit);
  auto rescale = [&](Rows &rows) {
    for (Rows::Group &group : rows.groups)
      group.index = group.index * (rows.unit / unit);
    rows.rest = rows.rest * (rows.unit / unit);
  };
  if (a.unit != b.unit) {
    // Prefer the larger unit where constants allow it; only the gcd is safe in general.
    rescale(a);
    rescale(b);
  } else {
    unit = a.unit;
  }
  auto addMissing = [](Rows &to, const Rows &from) {
    for (const Rows::Group &group : from.groups)
      if (std::none_of(to.groups.begin(), to.groups.end(),
                       [&](const Rows::Group &own) { return own.length == group.length; })) {
        to.groups.push_back({group.length, Polynomial()});
        // A bare length on this side is a row number after all.
        auto term = to.rest.terms().find(group.length);
        if (term != to.rest.terms().end()) {
          int64_t coefficient = term->second;
          to.groups.back().index = Polynomial(coefficient);
          to.rest = to.rest - product(group.length) * coefficient;
        }
      }
    std::sort(to.groups.begin(), to.groups.end(),
              [](const Rows::Group &x, const Rows::Group &y) { return MonomialOrder{}(x.length, y.length); });
  };
  addMissing(a, b);
  addMissing(b, a);

  // [start, start + bytes) of both share a byte: -bytes(p) < start(p) - start(q) < bytes(q), in units.
  auto sharesBytes = [&] {
    LinearForm distance = system.linear(a.rest, 0) - system.linear(b.rest, 1);
    bool isAligned = p.bytes == q.bytes && (unit % std::max<int64_t>(p.bytes, 1)) == 0;
    if (isAligned)
      return Formula::equal(distance);
    for (int64_t &coefficient : distance.coefficients)
      coefficient *= unit;
    distance.constant *= unit;
    LinearForm low = distance, high = LinearForm{} - distance;
    low.constant += std::max<int64_t>(p.bytes, 1) - 1;
    high.constant += std::max<int64_t>(q.bytes, 1) - 1;
    return Formula::all({Formula::atLeast(low), Formula::atLeast(high)});
  };

  Overlap result;
  std::vector<Formula> sameRows{sharesBytes()}, otherRow;
  for (size_t i = 0; i < a.groups.size(); ++i) {
    LinearForm distance = system.linear(a.groups[i].index, 0) - system.linear(b.groups[i].index, 1);
    sameRows.push_back(Formula::equal(distance));
    otherRow.push_back(differs(distance));
  }
  result.exact = Formula::all(std::move(sameRows));
  result.may = result.exact;

  // From the innermost row outwards: is the place in each row known to be inside it?
  for (unsigned side : {0u, 1u}) {
    const Rows &rows = side ? b : a;
    Polynomial inside = rows.rest;
    int64_t innerStep = 1;
    for (size_t i = rows.groups.size(); i-- > 0;) {
      std::optional<Monomial> length = i + 1 < rows.groups.size()
                                           ? quotient(rows.groups[i].length, rows.groups[i + 1].length)
                                           : std::optional(rows.groups[i].length);
      // With index 256*i rows are 256 times as long: 256*gridDim.x*i + 256*blockIdx.x + threadIdx.x.
      int64_t step = stepOf(rows.groups[i].index);
      if (!length || length->empty() || step % innerStep != 0 ||
          !staysInRow(inside, product(*length) * (step / innerStep), side)) {
        result.unknownLength = symbolName(writtenLength(rows, i));
        break;
      }
      inside = *rows.groups[i].index.dividedBy(step);
      innerStep = step;
    }
  }
  if (!result.unknownLength.empty()) {
    otherRow.push_back(result.exact);
    result.may = Formula::any(std::move(otherRow));
  }
  return result;
}

} // namespace heddle::analysis
