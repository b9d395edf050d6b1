// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/ChemkinRates.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace heddle::chem {
namespace {

using enum AuxiliaryKind;

/// CHEMKIN's ranges for a Chebyshev rate without TCHEB or PCHEB: K and atm.
constexpr std::array<double, 2> defaultTemperatures = {300, 2500};
constexpr std::array<double, 2> defaultPressures = {0.001, 100};

std::string_view textOf(AuxiliaryKind kind) {
  switch (kind) {
#define NUMBERS_KEYWORD(name, text, least, most, numbers)                                                    \
  case name: return text;
#include "chem/ChemkinAuxiliary.def"
  }
  return "";
}

/// Pairs that one reaction cannot have both of.
constexpr std::pair<AuxiliaryKind, AuxiliaryKind> excluding[] = {
    {Low, High}, {Troe, Sri}, {Plog, Cheb}, {Low, Plog}, {Low, Cheb}, {High, Plog}, {High, Cheb}, {Lt, Low},
    {Lt, High},  {Lt, Plog},  {Lt, Cheb},   {Rev, Low},  {Rev, High}, {Rev, Plog},  {Rev, Cheb},
};

/// Keywords that mean nothing without others: all of `needed`, or any of them.
struct Need {
  AuxiliaryKind kind;
  std::array<AuxiliaryKind, 2> needed;
  bool isAnyEnough;
};
constexpr Need needs[] = {
    {Troe, {Low, High}, true},   {Sri, {Low, High}, true}, {Tcheb, {Cheb, Cheb}, true},
    {Pcheb, {Cheb, Cheb}, true}, {Rlt, {Lt, Rev}, false},
};

class Builder {
public:
  Builder(const ChemkinReaction &parts, const ChemkinUnits &units, Diagnostics &diagnostics)
      : parts(parts), equation(parts.equation), aux(parts.auxiliary), units(units), diagnostics(diagnostics) {
  }

  Reaction build() {
    reaction.equation = parts.text;
    reaction.place = parts.place;
    reaction.reactants = equation.reactants;
    reaction.products = equation.products;
    reaction.duplicate = aux.isDuplicate;
    reaction.reverse = equation.isReversible ? Reverse::Equilibrium : Reverse::None;
    setOrders();
    setCollider();
    if (checkCombinations()) {
      setRate();
      setReverse();
    }
    return std::move(reaction);
  }

private:
  bool dependsOnPressureItself() const { return aux.has(Plog) || aux.has(Cheb); }
  bool isFalloff() const { return aux.has(Low) || aux.has(High); }

  // Orders and colliders

  void setOrders() {
    reaction.forwardOrders = orders(equation.reactants, aux.forwardOrders);
    reaction.reverseOrders = orders(equation.products, aux.reverseOrders);
    if (reaction.reverseOrders && !equation.isReversible)
      diagnostics.warning(aux.reverseOrders[0].place, "RORD has no effect: the reaction is irreversible");
  }

  /// The stoichiometric coefficients with those given in place of them; a zero order is left out.
  std::optional<std::vector<Term>> orders(std::vector<Term> terms, const std::vector<SpeciesEntry> &given) {
    if (given.empty())
      return std::nullopt;
    checkNotTwice(given, "the order");
    for (const SpeciesEntry &entry : given) {
      auto term = std::ranges::find(terms, entry.species, &Term::species);
      if (term == terms.end())
        terms.push_back({entry.species, entry.value});
      else
        term->value = entry.value;
    }
    std::erase_if(terms, [](const Term &term) { return term.value == 0; });
    return terms;
  }

  void checkNotTwice(const std::vector<SpeciesEntry> &list, std::string_view what) {
    for (size_t i = 0; i < list.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (list[i].species == list[j].species && list[i].value != list[j].value)
          diagnostics.error(list[i].place, fmt::format("{} of a species is given twice", what))
              .note(list[j].place, "first given here");
  }

  void setCollider() {
    checkNotTwice(aux.efficiencies, "the efficiency");
    // A rate that depends on pressure itself has its collisions in it; the M is for the reader only.
    if (!equation.collider || dependsOnPressureItself()) {
      complainOfEfficiencies();
      return;
    }
    Collider collider{.named = equation.collider->species};
    if (collider.named && !aux.efficiencies.empty())
      diagnostics.error(aux.efficiencies[0].place, "efficiencies need the third body 'M', not a species")
          .note(parts.place, "the reaction is here");
    for (const SpeciesEntry &entry : aux.efficiencies)
      if (entry.value != 1)
        collider.efficiencies.push_back({entry.species, entry.value});
    reaction.collider = std::move(collider);
  }

  void complainOfEfficiencies() {
    if (aux.efficiencies.empty())
      return;
    if (dependsOnPressureItself())
      diagnostics.warning(aux.efficiencies[0].place,
                          "efficiencies have no effect on a rate that depends on pressure itself");
    else
      diagnostics
          .error(aux.efficiencies[0].place, "efficiencies are given for a reaction without a third body")
          .note(parts.place, "the reaction is here")
          .withHint("write '+M' or '(+M)' on both sides of the equation");
  }

  // What may stand together

  bool checkCombinations() {
    bool isSound = true;
    for (auto [first, second] : excluding)
      if (aux.has(first) && aux.has(second))
        isSound = reportExcluding(first, second);
    if (!isSound)
      return false;
    for (const Need &need : needs)
      if (aux.has(need.kind) && !isMet(need))
        isSound &= reportNeed(need);
    return checkParentheses() && checkReverse() && isSound;
  }

  bool reportExcluding(AuxiliaryKind first, AuxiliaryKind second) {
    if (aux.get(first).place.line > aux.get(second).place.line)
      std::swap(first, second);
    diagnostics
        .error(aux.get(second).place,
               fmt::format("a reaction cannot have both {} and {}", textOf(first), textOf(second)))
        .note(aux.get(first).place, fmt::format("{} is given here", textOf(first)))
        .withHint("remove one of the two");
    return false;
  }

  bool isMet(const Need &need) const {
    bool first = aux.has(need.needed[0]), second = aux.has(need.needed[1]);
    return need.isAnyEnough ? first || second : first && second;
  }

  bool reportNeed(const Need &need) {
    // A falloff shape without a limit: what is missing is said of the equation's (+M), once.
    if (equation.collider && equation.collider->inParentheses && (need.kind == Troe || need.kind == Sri))
      return true;
    std::vector<std::string> missing;
    for (AuxiliaryKind kind : need.needed)
      if (!aux.has(kind) && std::ranges::find(missing, textOf(kind)) == missing.end())
        missing.emplace_back(textOf(kind));
    std::string wanted = fmt::format("{}", fmt::join(missing, need.isAnyEnough ? " or " : " and "));
    diagnostics
        .error(aux.get(need.kind).place,
               fmt::format("{} needs {} on the same reaction", textOf(need.kind), wanted))
        .note(parts.place, "the reaction is here")
        .withHint(fmt::format("add {}, or remove {}", wanted, textOf(need.kind)));
    return false;
  }

  bool checkParentheses() {
    bool inParentheses = equation.collider && equation.collider->inParentheses;
    if (inParentheses && !isFalloff() && !dependsOnPressureItself()) {
      diagnostics.error(parts.place, "a falloff reaction needs its low-pressure limit (LOW)")
          .withHint("add a line 'LOW / A b E /', or HIGH for a chemically activated reaction");
      return false;
    }
    if (!inParentheses && isFalloff()) {
      AuxiliaryKind kind = aux.has(Low) ? Low : High;
      diagnostics
          .error(aux.get(kind).place, fmt::format("{} is given for a reaction without '(+M)'", textOf(kind)))
          .note(parts.place, "the reaction is here")
          .withHint("write '(+M)' on both sides of the equation");
      return false;
    }
    return true;
  }

  bool checkReverse() {
    const NumbersEntry *rev = aux.find(Rev);
    if (!rev)
      return true;
    if (!equation.isReversible) {
      diagnostics.error(rev->place, "REV is given for an irreversible reaction")
          .note(parts.place, "the reaction is here")
          .withHint("write '=' or '<=>' in place of '=>'");
      return false;
    }
    if (aux.has(Lt) && !aux.has(Rlt)) {
      diagnostics.error(rev->place, "REV of a Landau-Teller reaction needs RLT on the same reaction")
          .note(aux.get(Lt).place, "LT is given here");
      return false;
    }
    return true;
  }

  // Rates

  static double sum(const std::vector<Term> &terms) {
    double total = 0;
    for (const Term &term : terms)
      total += term.value;
    return total;
  }
  double thirdBodyOrder() const { return reaction.collider && !isFalloff() ? 1 : 0; }
  double forwardOrder() const {
    return sum(reaction.forwardOrders.value_or(reaction.reactants)) + thirdBodyOrder();
  }
  double reverseOrder() const {
    return sum(reaction.reverseOrders.value_or(reaction.products)) + thirdBodyOrder();
  }

  void setRate() {
    if (aux.has(Cheb))
      reaction.rate = chebyshev();
    else if (aux.has(Plog))
      reaction.rate = plog();
    else if (isFalloff())
      reaction.rate = falloff();
    else
      reaction.rate = elementary(parts.arrhenius, aux.find(Lt), forwardOrder());
  }

  Rate elementary(std::span<const double> arrhenius, const NumbersEntry *landauTeller, double order) const {
    Arrhenius rate = units.convert(arrhenius[0], arrhenius[1], arrhenius[2], order);
    if (!landauTeller)
      return rate;
    return LandauTeller{rate, landauTeller->numbers[0], landauTeller->numbers[1]};
  }

  Arrhenius limit(std::span<const double> numbers, double order) const {
    return units.convert(numbers[0], numbers[1], numbers[2], order);
  }

  /// The line of the equation holds the high-pressure limit, or, with HIGH, the low-pressure limit. k_low [M]
  /// and k_high have one unit; the rate has that of k_high, or, chemically activated, that of k_low.
  Falloff falloff() const {
    double order = forwardOrder();
    Falloff rate;
    rate.chemicallyActivated = aux.has(High);
    rate.low = aux.has(High) ? limit(parts.arrhenius, order) : limit(aux.get(Low).numbers, order + 1);
    rate.high = aux.has(High) ? limit(aux.get(High).numbers, order - 1) : limit(parts.arrhenius, order);
    if (const NumbersEntry *troe = aux.find(Troe))
      rate.shape = troeShape(troe->numbers);
    if (const NumbersEntry *sri = aux.find(Sri))
      rate.shape = sriShape(sri->numbers);
    return rate;
  }

  static heddle::chem::Troe troeShape(const std::vector<double> &n) {
    return {n[0], n[1], n[2], n.size() > 3 ? std::optional(n[3]) : std::nullopt};
  }
  static heddle::chem::Sri sriShape(const std::vector<double> &n) {
    return n.size() == 5 ? heddle::chem::Sri{n[0], n[1], n[2], n[3], n[4]}
                         : heddle::chem::Sri{n[0], n[1], n[2]};
  }

  heddle::chem::Plog plog() {
    std::vector<heddle::chem::Plog::Point> points;
    for (const NumbersEntry &entry : aux.numbers.at(Plog)) {
      if (entry.numbers[0] <= 0)
        diagnostics.error(entry.place, "the pressure of a PLOG entry must be positive");
      double pressure = entry.numbers[0] * oneAtmosphere;
      auto point = std::ranges::find(points, pressure, &heddle::chem::Plog::Point::pressure);
      if (point == points.end())
        point = points.insert(points.end(), {pressure, {}});
      point->rates.push_back(limit(std::span(entry.numbers).subspan(1), forwardOrder()));
    }
    std::ranges::sort(points, {}, &heddle::chem::Plog::Point::pressure);
    return {std::move(points)};
  }

  Chebyshev chebyshev() {
    Chebyshev rate;
    std::array<double, 2> temperatures = range(Tcheb, defaultTemperatures, "K"),
                          pressures = range(Pcheb, defaultPressures, "atm");
    rate.lowTemperature = temperatures[0];
    rate.highTemperature = temperatures[1];
    rate.lowPressure = pressures[0] * oneAtmosphere;
    rate.highPressure = pressures[1] * oneAtmosphere;
    setCoefficients(rate);
    return rate;
  }

  std::array<double, 2> range(AuxiliaryKind kind, std::array<double, 2> byDefault, std::string_view unit) {
    const NumbersEntry *given = aux.find(kind);
    if (!given) {
      diagnostics
          .warning(aux.get(Cheb).place,
                   fmt::format("a Chebyshev rate without {}: its default, {} to {} {}, is taken",
                               textOf(kind), byDefault[0], byDefault[1], unit))
          .note(parts.place, "the reaction is here");
      return byDefault;
    }
    if (given->numbers[0] <= 0 || given->numbers[0] >= given->numbers[1])
      diagnostics.error(given->place,
                        fmt::format("{} takes a lower and a higher positive number", textOf(kind)));
    return {given->numbers[0], given->numbers[1]};
  }

  void setCoefficients(Chebyshev &rate) {
    std::vector<double> all;
    for (const NumbersEntry &entry : aux.numbers.at(Cheb))
      all.insert(all.end(), entry.numbers.begin(), entry.numbers.end());
    auto isCount = [](double n) { return n >= 1 && n <= 1000 && n == std::floor(n); };
    const Place &place = aux.get(Cheb).place;
    if (all.size() < 2 || !isCount(all[0]) || !isCount(all[1])) {
      diagnostics.error(place, "CHEB begins with two counts, those of the temperatures and of the pressures");
      return;
    }
    rate.temperatures = unsigned(all[0]);
    rate.pressures = unsigned(all[1]);
    rate.coefficients.assign(all.begin() + 2, all.end());
    if (rate.coefficients.size() != size_t(rate.temperatures) * rate.pressures) {
      diagnostics
          .error(place, fmt::format("CHEB announces {} x {} coefficients and gives {}", rate.temperatures,
                                    rate.pressures, rate.coefficients.size()))
          .withHint(fmt::format("{} numbers belong behind the two counts",
                                size_t(rate.temperatures) * rate.pressures));
      return;
    }
    rate.coefficients[0] += std::log10(units.rateFactor(forwardOrder()));
  }

  /// A reverse rate of zero is how files say that a reaction written as reversible is not.
  void setReverse() {
    const NumbersEntry *rev = aux.find(Rev);
    if (!rev)
      return;
    if (rev->numbers[0] == 0) {
      reaction.reverse = Reverse::None;
      return;
    }
    reaction.reverse = Reverse::Explicit;
    reaction.reverseRate = elementary(rev->numbers, aux.find(Rlt), reverseOrder());
  }

  const ChemkinReaction &parts;
  const Equation &equation;
  const Auxiliary &aux;
  const ChemkinUnits &units;
  Diagnostics &diagnostics;
  Reaction reaction;
};

} // namespace

Reaction buildReaction(const ChemkinReaction &parts, ChemkinUnits units, Diagnostics &diagnostics) {
  for (const auto &[place, word] : parts.auxiliary.unitWords)
    if (!units.set(word))
      diagnostics.error(place, fmt::format("'{}' is no unit", word)).withHint(std::string(unitWordsHint));
  return Builder(parts, units, diagnostics).build();
}

} // namespace heddle::chem
