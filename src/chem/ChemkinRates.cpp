// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reaction of a CHEMKIN file in phases: orders and third body, which depend on nothing else; whether its
// keywords go together (ChemkinCombinations.h); then the rate constants, whose units depend on the orders.
#include "chem/ChemkinRates.h"

#include "chem/ChemkinCombinations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace heddle::chem {
namespace {

using enum AuxiliaryKind;

/// CHEMKIN's ranges for a Chebyshev rate without TCHEB or PCHEB: K and atm.
constexpr std::array<double, 2> defaultTemperatures = {300, 2500};
constexpr std::array<double, 2> defaultPressures = {0.001, 100};

// Orders and colliders

void checkNotTwice(const std::vector<SpeciesEntry> &list, std::string_view what, Diagnostics &diagnostics) {
  for (size_t i = 0; i < list.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (list[i].species == list[j].species && list[i].value != list[j].value)
        diagnostics.error(list[i].location, fmt::format("{} of a species is given twice", what))
            .note(list[j].location, "first given here");
}

/// The stoichiometric coefficients with those given in place of them; a zero order is left out.
std::optional<std::vector<Term>> ordersOf(std::vector<Term> terms, const std::vector<SpeciesEntry> &given,
                                          Diagnostics &diagnostics) {
  if (given.empty())
    return std::nullopt;
  checkNotTwice(given, "the order", diagnostics);
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

void reportEfficiencies(const ChemkinReaction &parts, Diagnostics &diagnostics) {
  if (parts.auxiliary.efficiencies.empty())
    return;
  if (dependsOnPressureItself(parts.auxiliary))
    diagnostics.warning(parts.auxiliary.efficiencies[0].location,
                        "efficiencies have no effect on a rate that depends on pressure itself");
  else
    diagnostics
        .error(parts.auxiliary.efficiencies[0].location,
               "efficiencies are given for a reaction without a third body")
        .note(parts.location, "the reaction is here")
        .withHint("write '+M' or '(+M)' on both sides of the equation");
}

std::optional<Collider> colliderOf(const ChemkinReaction &parts, Diagnostics &diagnostics) {
  checkNotTwice(parts.auxiliary.efficiencies, "the efficiency", diagnostics);
  // A rate that depends on pressure itself has its collisions in it; the M is for the reader only.
  if (!parts.equation.collider || dependsOnPressureItself(parts.auxiliary)) {
    reportEfficiencies(parts, diagnostics);
    return std::nullopt;
  }
  Collider collider{.named = parts.equation.collider->species};
  if (collider.named && !parts.auxiliary.efficiencies.empty())
    diagnostics
        .error(parts.auxiliary.efficiencies[0].location,
               "efficiencies need the third body 'M', not a species")
        .note(parts.location, "the reaction is here");
  for (const SpeciesEntry &entry : parts.auxiliary.efficiencies)
    if (entry.value != 1)
      collider.efficiencies.push_back({entry.species, entry.value});
  return collider;
}

double sum(const std::vector<Term> &terms) {
  double total = 0;
  for (const Term &term : terms)
    total += term.value;
  return total;
}

// Rates

Rate elementary(std::span<const double> arrhenius, const NumbersEntry *landauTeller, double order,
                const ChemkinUnits &units) {
  const Arrhenius rate = units.convert(arrhenius[0], arrhenius[1], arrhenius[2], order);
  if (!landauTeller)
    return rate;
  return LandauTeller{rate, landauTeller->numbers[0], landauTeller->numbers[1]};
}

/// Makes the rate constant of the forward direction, for reactions of that order.
class ForwardRate {
public:
  ForwardRate(const ChemkinReaction &parts, const ChemkinUnits &units, double order, Diagnostics &diagnostics)
      : parts(parts), aux(parts.auxiliary), units(units), order(order), diagnostics(diagnostics) {}

  Rate make() const {
    if (aux.has(Cheb))
      return chebyshev();
    if (aux.has(Plog))
      return plog();
    if (isFalloff(aux))
      return falloff();
    return elementary(parts.arrhenius, aux.find(Lt), order, units);
  }

private:
  Arrhenius limit(std::span<const double> numbers, double limitOrder) const {
    return units.convert(numbers[0], numbers[1], numbers[2], limitOrder);
  }

  /// The line of the equation holds the high-pressure limit, or, with HIGH, the low-pressure limit. k_low [M]
  /// and k_high have one unit; the rate has that of k_high, or, chemically activated, that of k_low.
  Falloff falloff() const {
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

  heddle::chem::Plog plog() const {
    std::vector<heddle::chem::Plog::Point> points;
    for (const NumbersEntry &entry : aux.numbers.at(Plog)) {
      if (entry.numbers[0] <= 0)
        diagnostics.error(entry.location, "the pressure of a PLOG entry must be positive");
      double pressure = entry.numbers[0] * oneAtmosphere;
      auto point = std::ranges::find(points, pressure, &heddle::chem::Plog::Point::pressure);
      if (point == points.end())
        point = points.insert(points.end(), {pressure, {}});
      point->rates.push_back(limit(std::span(entry.numbers).subspan(1), order));
    }
    std::ranges::sort(points, {}, &heddle::chem::Plog::Point::pressure);
    return {std::move(points)};
  }

  Chebyshev chebyshev() const {
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

  std::array<double, 2> range(AuxiliaryKind kind, std::array<double, 2> byDefault,
                              std::string_view unit) const {
    const NumbersEntry *given = aux.find(kind);
    if (!given) {
      diagnostics
          .warning(aux.get(Cheb).location,
                   fmt::format("a Chebyshev rate without {}: its default, {} to {} {}, is taken",
                               textOf(kind), byDefault[0], byDefault[1], unit))
          .note(parts.location, "the reaction is here");
      return byDefault;
    }
    if (given->numbers[0] <= 0 || given->numbers[0] >= given->numbers[1])
      diagnostics.error(given->location,
                        fmt::format("{} takes a lower and a higher positive number", textOf(kind)));
    return {given->numbers[0], given->numbers[1]};
  }

  void setCoefficients(Chebyshev &rate) const {
    std::vector<double> all;
    for (const NumbersEntry &entry : aux.numbers.at(Cheb))
      all.insert(all.end(), entry.numbers.begin(), entry.numbers.end());
    auto isCount = [](double n) { return n >= 1 && n <= 1000 && n == std::floor(n); };
    const SourceLocation &location = aux.get(Cheb).location;
    if (all.size() < 2 || !isCount(all[0]) || !isCount(all[1])) {
      diagnostics.error(location,
                        "CHEB begins with two counts, those of the temperatures and of the pressures");
      return;
    }
    rate.temperatures = unsigned(all[0]);
    rate.pressures = unsigned(all[1]);
    rate.coefficients.assign(all.begin() + 2, all.end());
    if (rate.coefficients.size() != size_t(rate.temperatures) * rate.pressures) {
      diagnostics
          .error(location, fmt::format("CHEB announces {} x {} coefficients and gives {}", rate.temperatures,
                                       rate.pressures, rate.coefficients.size()))
          .withHint(fmt::format("{} numbers must follow the two counts",
                                size_t(rate.temperatures) * rate.pressures));
      return;
    }
    rate.coefficients[0] += std::log10(units.rateFactor(order));
  }

  const ChemkinReaction &parts;
  const Auxiliary &aux;
  const ChemkinUnits &units;
  const double order;
  Diagnostics &diagnostics;
};

/// What can be said before rates are: species, orders and third body.
Reaction withoutRates(const ChemkinReaction &parts, Diagnostics &diagnostics) {
  const Equation &equation = parts.equation;
  const Auxiliary &aux = parts.auxiliary;
  Reaction reaction;
  reaction.equation = parts.text;
  reaction.location = parts.location;
  reaction.reactants = equation.reactants;
  reaction.products = equation.products;
  reaction.duplicate = aux.isDuplicate;
  reaction.reverse = equation.isReversible ? Reverse::Equilibrium : Reverse::None;
  reaction.forwardOrders = ordersOf(equation.reactants, aux.forwardOrders, diagnostics);
  reaction.reverseOrders = ordersOf(equation.products, aux.reverseOrders, diagnostics);
  if (reaction.reverseOrders && !equation.isReversible)
    diagnostics.warning(aux.reverseOrders[0].location, "RORD has no effect: the reaction is irreversible");
  reaction.collider = colliderOf(parts, diagnostics);
  return reaction;
}

Reaction withRates(Reaction reaction, const ChemkinReaction &parts, const ChemkinUnits &units,
                   Diagnostics &diagnostics) {
  const Auxiliary &aux = parts.auxiliary;
  const double thirdBody = reaction.collider && !isFalloff(aux) ? 1 : 0;
  const double forwardOrder = sum(reaction.forwardOrders.value_or(reaction.reactants)) + thirdBody,
               reverseOrder = sum(reaction.reverseOrders.value_or(reaction.products)) + thirdBody;
  reaction.rate = ForwardRate(parts, units, forwardOrder, diagnostics).make();
  const NumbersEntry *rev = aux.find(Rev);
  if (!rev)
    return reaction;
  // A reverse rate of zero is how files say that a reaction written as reversible is not.
  const bool isZero = rev->numbers[0] == 0;
  reaction.reverse = isZero ? Reverse::None : Reverse::Explicit;
  if (!isZero)
    reaction.reverseRate = elementary(rev->numbers, aux.find(Rlt), reverseOrder, units);
  return reaction;
}

} // namespace

Reaction buildReaction(const ChemkinReaction &parts, ChemkinUnits units, Diagnostics &diagnostics) {
  units.set(parts.auxiliary.unitWords, diagnostics);
  Reaction reaction = withoutRates(parts, diagnostics);
  return checkCombinations(parts, diagnostics) ? withRates(std::move(reaction), parts, units, diagnostics)
                                               : reaction;
}

} // namespace heddle::chem
