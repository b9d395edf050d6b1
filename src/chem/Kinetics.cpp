// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reaction rates in double precision, written for reading: the reference that generated kernels are compared
// with.
//
//     q_i = k_f [M] prod c^order  -  k_r [M] prod c^order          k_r = k_f / Kc, or given, or 0
//
// 1. The collider's concentration is the sum of concentrations times efficiencies, or one named species.
// 2. 1/Kc comes from the Gibbs functions at one atmosphere; it is bounded, so that a rate constant of zero
//    still gives a reverse rate of zero instead of 0 * infinity.
// 3. Production rates add each rate of progress, times the coefficient, to creation and destruction of each
//    species.
// 4. `spectator`: a species on both sides of a three-molecule reaction is a collider by another name (AR in
//    H+O2+AR=HO2+AR); it counts neither as created nor as destroyed. Where two species qualify, none is
//    taken.
//
// Concentrations below zero, which integrators produce, give a rate of zero for orders that are not small
// integers. Cost: linear in the terms of the mechanism, times the species for each collider; no attempt is
// made to share work.
#include "chem/Kinetics.h"

#include "chem/Constants.h"
#include "chem/RateConstant.h"
#include "chem/Thermo.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

/// As large as 1/Kc is let grow, so that a rate constant of zero still gives a reverse rate of zero.
constexpr double huge = 1e300;

double power(double c, double order) {
  if (order == 0)
    return 1;
  if (order == 1)
    return c;
  if (order == 2)
    return c * c;
  if (order == 3)
    return c * c * c;
  return c > 0 ? std::pow(c, order) : 0;
}

double reverseConstant(const Mechanism &mechanism, const Reaction &reaction, double forward,
                       const Surroundings &at) {
  switch (reaction.reverse) {
  case Reverse::None: break;
  case Reverse::Equilibrium: return forward * reciprocalEquilibrium(mechanism, reaction, at.temperature);
  case Reverse::Explicit: return rateConstant(*reaction.reverseRate, at);
  }
  return 0;
}

void addScaled(std::vector<double> &sums, const std::vector<Term> &terms, double rate) {
  for (const Term &term : terms)
    sums[term.species] += term.value * rate;
}

/// How many molecules are on a side; nothing where a coefficient is not whole.
std::optional<double> moleculesOf(const std::vector<Term> &side) {
  double sum = 0;
  for (const Term &term : side) {
    if (term.value != std::trunc(term.value))
      return std::nullopt;
    sum += term.value;
  }
  return sum;
}

double coefficientOf(const std::vector<Term> &side, unsigned species) {
  double sum = 0;
  for (const Term &term : side)
    sum += term.species == species ? term.value : 0;
  return sum;
}

std::vector<Term> withoutOne(std::vector<Term> side, std::optional<unsigned> species) {
  for (Term &term : side)
    if (term.species == species)
      term.value -= 1;
  std::erase_if(side, [](const Term &term) { return term.value == 0; });
  return side;
}

} // namespace

std::optional<unsigned> spectator(const Reaction &reaction) {
  bool plain =
      std::holds_alternative<Arrhenius>(reaction.rate) || std::holds_alternative<LandauTeller>(reaction.rate);
  std::optional<double> in = moleculesOf(reaction.reactants), out = moleculesOf(reaction.products);
  if (!plain || reaction.collider || !in || !out || (*in != 3 && *out != 3))
    return std::nullopt;
  std::optional<unsigned> found;
  for (const Term &term : reaction.reactants) {
    double after = coefficientOf(reaction.products, term.species);
    if (after == 0)
      continue;
    if (found || (term.value > 1 && after > 1))
      return std::nullopt; // two candidates, or two of the same: it is unknown which one is the spectator
    found = term.species;
  }
  return found;
}

std::vector<Term> consumed(const Reaction &reaction) {
  return withoutOne(reaction.reactants, spectator(reaction));
}

std::vector<Term> made(const Reaction &reaction) {
  return withoutOne(reaction.products, spectator(reaction));
}

const std::vector<Term> &forwardOrders(const Reaction &reaction) {
  return reaction.forwardOrders ? *reaction.forwardOrders : reaction.reactants;
}

const std::vector<Term> &reverseOrders(const Reaction &reaction) {
  return reaction.reverseOrders ? *reaction.reverseOrders : reaction.products;
}

double massAction(const std::vector<Term> &orders, const std::vector<double> &concentrations) {
  double product = 1;
  for (const Term &term : orders)
    product *= power(concentrations[term.species], term.value);
  return product;
}

double colliderConcentration(const Collider &collider, const std::vector<double> &concentrations) {
  if (collider.named)
    return concentrations[*collider.named];
  std::vector<double> efficiencies(concentrations.size(), collider.defaultEfficiency);
  for (const Term &term : collider.efficiencies)
    efficiencies[term.species] = term.value;
  double sum = 0;
  for (size_t k = 0; k < concentrations.size(); ++k)
    sum += efficiencies[k] * concentrations[k];
  return sum;
}

double reciprocalEquilibrium(const Mechanism &mechanism, const Reaction &reaction, double temperature) {
  double gibbsChange = 0, moleChange = 0;
  auto add = [&](const std::vector<Term> &terms, double sign) {
    for (const Term &term : terms) {
      gibbsChange += sign * term.value * gibbs(mechanism.species[term.species].thermo, temperature);
      moleChange += sign * term.value;
    }
  };
  add(reaction.products, 1);
  add(reaction.reactants, -1);
  double standard = oneAtmosphere / (gasConstant * temperature);
  return std::min(std::exp(gibbsChange - moleChange * std::log(standard)), huge);
}

RateConstants rateConstants(const Mechanism &mechanism, double temperature, double pressure,
                            const std::vector<double> &concentrations) {
  RateConstants all;
  for (const Reaction &reaction : mechanism.reactions) {
    double collider = reaction.collider ? colliderConcentration(*reaction.collider, concentrations) : 1;
    Surroundings at = {temperature, pressure, collider};
    double forward = rateConstant(reaction.rate, at);
    all.forward.push_back(forward);
    all.reverse.push_back(reverseConstant(mechanism, reaction, forward, at));
    all.collider.push_back(reaction.isFalloff() ? 1 : collider);
  }
  return all;
}

RatesOfProgress ratesOfProgress(const Mechanism &mechanism, const RateConstants &constants,
                                const std::vector<double> &concentrations) {
  RatesOfProgress rates;
  for (size_t i = 0; i < mechanism.reactions.size(); ++i) {
    const Reaction &reaction = mechanism.reactions[i];
    double m = constants.collider[i];
    rates.forward.push_back(constants.forward[i] * m * massAction(forwardOrders(reaction), concentrations));
    rates.reverse.push_back(constants.reverse[i] * m * massAction(reverseOrders(reaction), concentrations));
  }
  return rates;
}

ProductionRates productionRates(const Mechanism &mechanism, const RatesOfProgress &rates) {
  size_t count = mechanism.species.size();
  ProductionRates sums = {std::vector<double>(count), std::vector<double>(count), std::vector<double>(count)};
  for (size_t i = 0; i < mechanism.reactions.size(); ++i) {
    std::vector<Term> before = consumed(mechanism.reactions[i]), after = made(mechanism.reactions[i]);
    addScaled(sums.creation, after, rates.forward[i]);
    addScaled(sums.destruction, before, rates.forward[i]);
    addScaled(sums.creation, before, rates.reverse[i]);
    addScaled(sums.destruction, after, rates.reverse[i]);
  }
  for (size_t k = 0; k < count; ++k)
    sums.net[k] = sums.creation[k] - sums.destruction[k];
  return sums;
}

std::vector<double> grossRates(const Mechanism &mechanism, const RatesOfProgress &rates) {
  std::vector<double> gross(mechanism.species.size());
  for (size_t i = 0; i < mechanism.reactions.size(); ++i)
    for (const std::vector<Term> *side :
         {&mechanism.reactions[i].reactants, &mechanism.reactions[i].products})
      addScaled(gross, *side, std::abs(rates.forward[i]) + std::abs(rates.reverse[i]));
  return gross;
}

} // namespace heddle::chem
