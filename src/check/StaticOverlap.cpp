// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two accesses to global memory touch the same bytes.
//
// With addresses that are linear in blockIdx and in completed iterations of loops, and equal otherwise,
//
//     F(b, k) + x = G(b', k') + y,   x touched by the one, y by the other
//
// is a system of linear equations and inequalities over integers; isl says whether it has a solution in which the blocks
// differ, or the iterations. blockIdx goes as far as the grid, and without end where the grid is not known. Dimensions of
// the grid that the kernel does not read are as large as launches have them, and taken to be 1 where that is not known, which the verdict says.
//
// Addresses are often not linear: in row * width + col the width is a parameter, in a grid-stride loop the step is
// gridDim.x * blockDim.x. Then the address is read as a number of several digits,
//
//     D0 + R1 * D1 + R2 * D2 ...      R1 = 4 * width,  D0 = 4 * col,  D1 = row
//
// with each digit linear and each R a product of what all threads have in common. Where 0 <= D0 and D0 + bytes <= R1, and so
// on for each digit but the last, two numbers are equal only if all their digits are: one linear equation for each
// digit. That a digit stays below follows from a comparison that the access depends on (col < width) or from
// blockIdx < gridDim. What it rests on is that products do not overflow, which the verdict says.
//
// All questions about a kernel share one budget, counted in isl's operations and not in seconds, so that the answer is
// the same on every machine.
#include "check/StaticOverlap.h"

#include "support/Text.h"

#include <fmt/format.h>
#include <isl/constraint.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/set.h>
#include <isl/space.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace heddle::check {
namespace {

constexpr size_t MostRuns = 24;                // beyond, their hull is compared
constexpr unsigned long MostWork = 40'000'000; // of isl for one kernel: about two seconds

using Symbol = Forms::Symbol;
using Monomial = Forms::Monomial;
using Polynomial = Forms::Polynomial;

bool isVariable(Symbol symbol) { return Forms::isBlockIdx(symbol) || Forms::isLoop(symbol); }

// --- bytes
// -------------------------------------------------------------------------------------------------------

/// Bytes lo + stride * i + r with 0 <= i < count and 0 <= r < length.
struct LaneRun {
  int64_t lo = 0, stride = 1, count = 1, length = 1;
};

/// The bytes that are touched, as runs; false where they are only a hull of them.
bool runsOf(const Touched &touched, std::vector<LaneRun> &runs) {
  std::vector<int64_t> offsets;
  for (const Touched::Address &address : touched.addresses)
    offsets.push_back(address.offset);
  std::ranges::sort(offsets);
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  const int64_t bytes = touched.bytes;
  std::vector<LaneRun> intervals;
  for (int64_t offset : offsets)
    if (!intervals.empty() && offset <= intervals.back().lo + intervals.back().length)
      intervals.back().length = offset + bytes - intervals.back().lo;
    else
      intervals.push_back({offset, 1, 1, bytes});
  for (const LaneRun &next : intervals) {
    if (!runs.empty() && runs.back().length == next.length) {
      LaneRun &last = runs.back();
      if (last.count == 1 || next.lo == last.lo + last.stride * last.count) {
        if (last.count == 1)
          last.stride = next.lo - last.lo;
        ++last.count;
        continue;
      }
    }
    runs.push_back(next);
  }
  if (runs.size() <= MostRuns)
    return true;
  const int64_t lo = intervals.front().lo, end = intervals.back().lo + intervals.back().length;
  runs = {{lo, 1, 1, end - lo}};
  return false;
}

// --- digits
// ------------------------------------------------------------------------------------------------------

/// A sum of multiples of variables, and a constant.
struct Digit {
  std::map<Symbol, int64_t> variables;
  int64_t constant = 0;

  bool operator==(const Digit &) const = default;
  int64_t times(Symbol symbol) const {
    const auto at = variables.find(symbol);
    return at == variables.end() ? 0 : at->second;
  }
  Polynomial polynomial() const {
    Polynomial result;
    for (const auto &[symbol, coefficient] : variables)
      result[{symbol}] = coefficient;
    return result;
  }
  void divide(int64_t by) {
    for (auto &[symbol, coefficient] : variables)
      coefficient /= by;
    constant /= by;
  }
  int64_t divisor() const {
    int64_t common = constant;
    for (const auto &[symbol, coefficient] : variables)
      common = std::gcd(common, coefficient);
    return common;
  }
};

/// By what it is multiplied with, which all threads have in common; nothing where two variables are multiplied.
std::optional<std::map<Monomial, Digit>> digitsOf(const Polynomial &form) {
  std::map<Monomial, Digit> digits;
  for (const auto &[monomial, coefficient] : form) {
    Monomial common;
    std::optional<Symbol> variable;
    for (Symbol symbol : monomial)
      if (!isVariable(symbol))
        common.push_back(symbol);
      else if (variable)
        return std::nullopt;
      else
        variable = symbol;
    Digit &digit = digits[common];
    (variable ? digit.variables[*variable] : digit.constant) += coefficient;
  }
  return digits;
}

/// `large` without the factors of `small`; nothing where it has not all of them.
std::optional<Monomial> quotient(const Monomial &large, const Monomial &small) {
  if (!std::ranges::includes(large, small))
    return std::nullopt;
  Monomial rest;
  std::ranges::set_difference(large, small, std::back_inserter(rest));
  return rest;
}

void subtract(Polynomial &from, const Polynomial &what, int64_t factor) {
  for (const auto &[monomial, coefficient] : what)
    if ((from[monomial] -= factor * coefficient) == 0)
      from.erase(monomial);
}

// --- systems
// -----------------------------------------------------------------------------------------------------

/// Linear constraints over integers.
class System {
public:
  System(isl_ctx *ctx, unsigned variables) : context(ctx), size(variables) {
    space = isl_space_set_alloc(context, 0, size);
    set = isl_basic_set_universe(isl_space_copy(space));
  }
  ~System() {
    isl_basic_set_free(set);
    isl_space_free(space);
  }
  System(const System &) = delete;
  System &operator=(const System &) = delete;

  using Row = std::vector<int64_t>;
  Row row() const { return Row(size, 0); }
  void add(bool equality, const Row &coefficients, int64_t constant) {
    isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
    isl_constraint *constraint =
        equality ? isl_constraint_alloc_equality(local) : isl_constraint_alloc_inequality(local);
    for (unsigned i = 0; i < size; ++i)
      if (coefficients[i])
        constraint = isl_constraint_set_coefficient_val(constraint, isl_dim_set, int(i),
                                                        isl_val_int_from_si(context, coefficients[i]));
    constraint = isl_constraint_set_constant_val(constraint, isl_val_int_from_si(context, constant));
    set = isl_basic_set_add_constraint(set, constraint);
  }
  void atLeast(unsigned variable, int64_t bound) {
    Row one = row();
    one[variable] = 1;
    add(false, one, -bound);
  }
  void below(unsigned variable, int64_t bound) {
    Row one = row();
    one[variable] = -1;
    add(false, one, bound - 1);
  }
  /// Maybe: the budget is spent.
  Overlaps::Answer hasSolution() const {
    switch (set ? isl_basic_set_is_empty(set) : isl_bool_error) {
    case isl_bool_true: return Overlaps::Answer::No;
    case isl_bool_false: return Overlaps::Answer::Yes;
    default: isl_ctx_reset_error(context); return Overlaps::Answer::Maybe;
    }
  }

private:
  isl_ctx *context;
  const unsigned size;
  isl_space *space = nullptr;
  isl_basic_set *set = nullptr;
};

} // namespace

/// Two accesses, with their digits side by side.
class Comparison {
public:
  Comparison(Overlaps &of, const Touched &first, const Touched &second)
      : meetings(of), range(of.range), touched{&first, &second} {
    isComparable = first.form != Forms::Opaque && second.form != Forms::Opaque && findLevels();
    if (isComparable) {
      isExact = runsOf(first, runs[0]);
      isExact &= runsOf(second, runs[1]);
    }
  }

  Overlaps::Result betweenBlocks() {
    std::vector<Apart> apart;
    for (unsigned k = 0; k < 3; ++k)
      if (range.limit(k) != 1)
        for (int direction : {1, -1})
          apart.push_back({Symbol(Forms::BlockIdx + k), direction});
    return solve(false, apart);
  }

  Overlaps::Result withinBlock() {
    if (touched[0]->form != touched[1]->form)
      return solve(true, {Apart{}});
    std::vector<Apart> apart;
    for (Symbol loop : loops)
      for (int direction : {1, -1})
        apart.push_back({loop, direction});
    return solve(true, apart);
  }

private:
  /// The variable is larger in one access than in the other, or nothing.
  struct Apart {
    Symbol variable = 0;
    int direction = 0;
  };
  struct Level {
    Monomial common;
    int64_t factor = 1;
    Digit digits[2];
  };

  // --- reading addresses as digits

  bool findLevels() {
    const auto first = digitsOf(meetings.forms.of(touched[0]->form)),
               second = digitsOf(meetings.forms.of(touched[1]->form));
    if (!first || !second)
      return giveUp("depends on a product of blockIdx and an index, or of two indices");
    std::map<Monomial, Level> found;
    found[{}];
    for (unsigned side : {0u, 1u})
      for (const auto &[common, digit] : side ? *second : *first)
        found[common].common = common, found[common].digits[side] = digit;
    for (auto &[common, level] : found) {
      for (const Digit &digit : level.digits)
        for (const auto &[symbol, coefficient] : digit.variables)
          if (Forms::isLoop(symbol) && std::ranges::find(loops, symbol) == loops.end())
            loops.push_back(symbol);
      const bool isAlike = level.digits[0] == level.digits[1] && level.digits[0].variables.empty();
      if (common.empty() || !isAlike)
        levels.push_back(level);
    }
    std::ranges::stable_sort(levels, {}, [](const Level &level) { return level.common.size(); });
    scale();
    for (size_t j = 0; j + 1 < levels.size(); ++j)
      for (unsigned side : {0u, 1u})
        if (!staysBelow(j, side))
          return false;
    return true;
  }

  /// Digits become as small as they can be, and each factor divides the next one.
  void scale() {
    for (size_t j = levels.size(); j-- > 1;) {
      int64_t common = std::gcd(levels[j].digits[0].divisor(), levels[j].digits[1].divisor());
      if (j + 1 < levels.size())
        common = std::gcd(common, levels[j + 1].factor);
      levels[j].factor = common;
    }
    for (size_t j = 1; j < levels.size(); ++j)
      for (Digit &digit : levels[j].digits)
        digit.divide(levels[j].factor);
  }

  bool giveUp(std::string reason) {
    why = std::move(reason);
    return false;
  }

  std::string nameOf(const Monomial &product) const {
    std::vector<std::string> names;
    for (Symbol symbol : product)
      names.push_back(Forms::isGridDim(symbol) ? fmt::format("gridDim.{}", "xyz"[symbol - Forms::GridDim])
                                               : meetings.nameOf(symbol));
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : " * ") + name;
    return text;
  }

  /// Whether the digit of level j is at least 0 and below what the next level counts.
  bool staysBelow(size_t j, unsigned side) {
    const Level &level = levels[j], &next = levels[j + 1];
    const std::optional<Monomial> common = quotient(next.common, level.common);
    if (!common)
      return giveUp(fmt::format("depends on {} and {} in a way that is not linear", nameOf(level.common),
                                nameOf(next.common)));
    const Touched &one = *touched[side];
    const Digit &digit = level.digits[side];
    const Polynomial sum = digit.polynomial();
    const bool isLowest = j == 0; // in bytes, and with the offset of each address
    int64_t least = digit.constant;
    if (isLowest)
      least += std::ranges::min(one.addresses, {}, &Touched::Address::offset).offset;
    const std::optional<int64_t> bound = lowerBound(sum);
    if (!bound || *bound + least < 0)
      return giveUp(fmt::format("depends on whether an index below {} may be negative", nameOf(*common)));
    const int64_t need = digit.constant + (isLowest ? one.bytes : 1), factor = next.factor / level.factor;
    if (isBelow(one, sum, isLowest, need, factor, *common))
      return true;
    if (common->size() == 1 && common->front() >= Forms::Parameters && common->front() < Forms::Loops)
      width = common->front();
    return giveUp(fmt::format("depends on data: no comparison keeps an index below {}", nameOf(*common)));
  }

  /// Whether factor * common >= sum + offset + need at each address.
  bool isBelow(const Touched &one, const Polynomial &sum, bool withOffset, int64_t need, int64_t factor,
               const Monomial &common) const {
    auto holds = [&](int64_t times, unsigned fact, int64_t factsTimes) {
      Polynomial rest{{common, times}};
      subtract(rest, sum, 1);
      if (factsTimes)
        subtract(rest, meetings.forms.of(one.facts[fact]), factsTimes);
      const std::optional<int64_t> bound = lowerBound(rest);
      return bound && std::ranges::all_of(one.addresses, [&](const Touched::Address &address) {
               return *bound - (withOffset ? address.offset : 0) - need - factsTimes * address.facts[fact] >=
                      0;
             });
    };
    if (holds(factor, 0, 0))
      return true;
    for (unsigned fact = 0; fact < Facts::Most; ++fact) {
      if (one.facts[fact] == Forms::Opaque)
        continue;
      const Polynomial &given = meetings.forms.of(one.facts[fact]);
      const auto found = given.find(common);
      if (found == given.end() || found->second <= 0)
        continue;
      // So many times the fact, that what varies cancels out, or the product itself.
      std::vector<int64_t> times{factor / found->second};
      for (const auto &[monomial, coefficient] : sum)
        if (const auto same = given.find(monomial); same != given.end() && same->second < 0)
          times.push_back(coefficient / -same->second);
      for (int64_t each : times)
        if (each > 0 && each * found->second <= factor && holds(each * found->second, fact, each))
          return true;
    }
    return false;
  }

  /// A number that the sum is not below, whatever blockIdx, gridDim and iterations are.
  std::optional<int64_t> lowerBound(Polynomial sum) const {
    auto isNatural = [](Symbol symbol) { return isVariable(symbol) || Forms::isGridDim(symbol); };
    // What is subtracted is largest in the last block.
    for (;;) {
      const auto negative = std::ranges::find_if(sum, [&](const auto &term) {
        return term.second < 0 && std::ranges::any_of(term.first, Forms::isBlockIdx) &&
               std::ranges::all_of(term.first, isNatural);
      });
      if (negative == sum.end())
        break;
      Monomial monomial = negative->first;
      const int64_t coefficient = negative->second;
      sum.erase(negative);
      const auto at = std::ranges::find_if(monomial, Forms::isBlockIdx);
      const unsigned k = *at - Forms::BlockIdx;
      monomial.erase(at);
      auto add = [&](const Monomial &to, int64_t what) {
        if ((sum[to] += what) == 0)
          sum.erase(to);
      };
      if (const int64_t limit = range.limit(k)) {
        add(monomial, coefficient * (limit - 1));
        continue;
      }
      add(monomial, -coefficient);
      monomial.push_back(Symbol(Forms::GridDim + k));
      std::ranges::sort(monomial);
      add(monomial, coefficient);
    }
    int64_t bound = 0;
    for (const auto &[monomial, coefficient] : sum) {
      if (monomial.empty()) {
        bound += coefficient;
        continue;
      }
      if (coefficient < 0 || !std::ranges::all_of(monomial, isNatural))
        return std::nullopt;
      bound += std::ranges::all_of(monomial, Forms::isGridDim) ? coefficient : 0;
    }
    return bound;
  }

  // --- solving

  // Variables of one access: blockIdx (3), loops, i and r of a run.
  unsigned perSide() const { return 3 + unsigned(loops.size()) + 2; }
  unsigned indexOf(Symbol variable, unsigned side) const {
    const unsigned first = side * perSide();
    if (Forms::isBlockIdx(variable))
      return first + variable;
    return first + 3 + unsigned(std::ranges::find(loops, variable) - loops.begin());
  }

  /// Comparisons that an access depends on and that are linear, as the one address that satisfies each of them most
  /// easily has it: what remains possible is possible for all addresses together.
  void addFacts(System &system) const {
    for (unsigned side : {0u, 1u}) {
      const Touched &one = *touched[side];
      for (unsigned fact = 0; fact < Facts::Most; ++fact) {
        if (one.facts[fact] == Forms::Opaque || one.addresses.empty())
          continue;
        System::Row atLeastZero = system.row();
        bool isLinear = true;
        for (const auto &[monomial, coefficient] : meetings.forms.of(one.facts[fact])) {
          isLinear &= monomial.size() == 1 && (Forms::isBlockIdx(monomial.front()) ||
                                               std::ranges::count(loops, monomial.front()) != 0);
          if (isLinear)
            atLeastZero[indexOf(monomial.front(), side)] = coefficient;
        }
        if (!isLinear)
          continue;
        int64_t most = one.addresses.front().facts[fact];
        for (const Touched::Address &address : one.addresses)
          most = std::max(most, address.facts[fact]);
        system.add(false, atLeastZero, most);
      }
    }
  }

  Overlaps::Answer ask(bool sameBlock, const Apart &apart, const LaneRun &x, const LaneRun &y) const {
    System system(meetings.context.get(), 2 * perSide());
    for (unsigned side : {0u, 1u}) {
      for (unsigned d = 0; d < 3; ++d) {
        const unsigned at = indexOf(Symbol(Forms::BlockIdx + d), side);
        system.atLeast(at, 0);
        if (range.limit(d))
          system.below(at, range.limit(d));
      }
      for (Symbol loop : loops)
        system.atLeast(indexOf(loop, side), 0);
      const LaneRun &run = side ? y : x;
      const unsigned i = side * perSide() + perSide() - 2;
      system.atLeast(i, 0), system.below(i, run.count), system.atLeast(i + 1, 0),
          system.below(i + 1, run.length);
    }
    for (unsigned d = 0; d < 3 && sameBlock; ++d) {
      System::Row same = system.row();
      same[indexOf(Symbol(d), 0)] = 1, same[indexOf(Symbol(d), 1)] = -1;
      system.add(true, same, 0);
    }
    if (apart.direction) {
      System::Row differs = system.row();
      differs[indexOf(apart.variable, 0)] = apart.direction;
      differs[indexOf(apart.variable, 1)] = -apart.direction;
      system.add(false, differs, -1);
    }
    addFacts(system);
    for (size_t j = 0; j < levels.size(); ++j) {
      System::Row equal = system.row();
      int64_t constant = levels[j].digits[0].constant - levels[j].digits[1].constant;
      for (unsigned side : {0u, 1u}) {
        const int sign = side ? -1 : 1;
        for (const auto &[variable, coefficient] : levels[j].digits[side].variables)
          equal[indexOf(variable, side)] += sign * coefficient;
        if (j == 0) {
          const LaneRun &run = side ? y : x;
          const unsigned i = side * perSide() + perSide() - 2;
          equal[i] = sign * run.stride, equal[i + 1] = sign, constant += sign * run.lo;
        }
      }
      system.add(true, equal, constant);
    }
    return system.hasSolution();
  }

  /// What decides whether bytes that may be the same are.
  std::string whyPossible(bool sameBlock) const {
    if (!isExact)
      return "is beyond the limit of the solver";
    std::set<std::string> names;
    for (const Level &level : levels) {
      for (Symbol symbol : level.common)
        names.insert(nameOf({symbol}));
      for (Symbol d = 0; d < 3 && sameBlock; ++d)
        if (level.digits[0].times(d) != level.digits[1].times(d))
          names.insert(fmt::format("blockIdx.{}", "xyz"[d]));
    }
    if (!loops.empty())
      names.insert("the number of iterations of a loop");
    return names.empty() ? "depends on data" : "depends on " + joinAnd({names.begin(), names.end()});
  }

  Overlaps::Result solve(bool sameBlock, const std::vector<Apart> &apart) {
    using Answer = Overlaps::Answer;
    if (!isComparable)
      return {Answer::Maybe, false, why, width};
    Answer answer = Answer::No;
    for (const Apart &each : apart)
      for (const LaneRun &x : runs[0])
        for (const LaneRun &y : runs[1]) {
          const Answer one = ask(sameBlock, each, x, y);
          if (one == Answer::Yes)
            return {Answer::Yes, isExact && loops.empty() && levels.size() == 1, whyPossible(sameBlock)};
          answer = std::max(answer, one);
        }
    return {answer, false, "is beyond the limit of the solver"};
  }

  Overlaps &meetings;
  const BlockRange &range;
  const Touched *touched[2];
  std::vector<Level> levels;
  std::vector<Symbol> loops;
  std::vector<LaneRun> runs[2];
  bool isComparable = false, isExact = false;
  std::string why = "depends on data";
  std::optional<Symbol> width;
};

Overlaps::Overlaps(const Forms &all, const BlockRange &known, std::function<std::string(Forms::Symbol)> names)
    : forms(all), range(known), nameOf(std::move(names)),
      context(isl_ctx_alloc(), [](isl_ctx *ctx) { isl_ctx_free(ctx); }) {
  isl_options_set_on_error(context.get(), ISL_ON_ERROR_CONTINUE);
  isl_ctx_set_max_operations(context.get(), MostWork);
}

Overlaps::Result Overlaps::betweenBlocks(const Touched &a, const Touched &b) {
  return Comparison(*this, a, b).betweenBlocks();
}
Overlaps::Result Overlaps::withinBlock(const Touched &a, const Touched &b) {
  return Comparison(*this, a, b).withinBlock();
}

} // namespace heddle::check
