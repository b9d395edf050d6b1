// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that many reactions of a generated program share, each computed once: temperature functions, Gibbs
// functions, concentrations, colliders.
//
// Equilibrium by activities. The reverse rate needs 1/Kc = exp(sum of g/RT). Instead of one exponential for
// each reaction there is one for each species: with phi = exp2(-log2 exp(g/RT)) in concentration units and
// the activity a = c / phi, a reaction proceeds at  k * (product of phi over reactants) * (product of a over
// reactants - product of a over products).
//
// Overflow. At low temperature g/RT is large, and products of phi leave the range of double. Any amount for
// each atom of an element may be added to g/RT, since elements are conserved and it cancels in each reaction.
// `choosePotentials` takes the amounts that make log2 phi small for all species, by least squares over the
// atoms. A reaction with rounded coefficients conserves elements only nearly, and the amounts do not cancel: it has
// an exponential of its own for 1/Kc, to which they are added again.
//
// Ranges. NASA polynomials have two or more temperature ranges; their coefficients are selected by
// temperature, not the results, so that the polynomial is evaluated once.
//
// Values are made when they are first asked for, in a section named after what they are for; `prepare` asks
// for all that a reaction needs before the reaction itself, so that its section holds only its own work.
// Default efficiencies rely on mole fractions that add up to 1.
#include "chem/ProgramContext.h"

#include "chem/Constants.h"
#include "support/LeastSquares.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace heddle::chem {

using flow::Expr;

namespace {

/// Names of species as C identifiers.
std::vector<std::string> identifiersOf(const Mechanism &mechanism) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Species &species : mechanism.species) {
    std::string name;
    for (char c : species.name)
      name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (!taken.insert(name).second)
      taken.insert(name += "_" + std::to_string(names.size()));
    names.push_back(std::move(name));
  }
  return names;
}

/// log2 of exp(g/RT) as a polynomial: a term each of 1, T, T^2, T^3, T^4, log2 T and 1/T.
struct GibbsTerms {
  std::array<double, 5> powers{};
  double log = 0, reciprocal = 0;
};

GibbsTerms gibbsTerms(const Nasa7Range &range) {
  const std::array<double, 7> &a = range.a;
  GibbsTerms terms;
  terms.powers = {(a[0] - a[6]) * log2OfE, -a[1] / 2 * log2OfE, -a[2] / 6 * log2OfE, -a[3] / 12 * log2OfE,
                  -a[4] / 20 * log2OfE};
  terms.log = -a[0];
  terms.reciprocal = a[5] * log2OfE;
  return terms;
}

/// g/RT = h0/RT - cp T0/RT + cp/R - s0/R - cp/R ln(T/T0)
GibbsTerms gibbsTerms(const ConstantCp &data) {
  const double cp = data.cp / gasConstant;
  GibbsTerms terms;
  terms.powers[0] = (cp - data.entropy / gasConstant + cp * std::log(data.temperature)) * log2OfE;
  terms.log = -cp;
  terms.reciprocal = (data.enthalpy / gasConstant - cp * data.temperature) * log2OfE;
  return terms;
}

/// The ranges' terms, and the temperatures between them.
std::pair<std::vector<GibbsTerms>, std::vector<double>> gibbsRanges(const Thermo &thermo) {
  std::vector<GibbsTerms> all;
  std::vector<double> between;
  if (const auto *constant = std::get_if<ConstantCp>(&thermo))
    return {{gibbsTerms(*constant)}, {}};
  for (const Nasa7Range &range : std::get<std::vector<Nasa7Range>>(thermo)) {
    if (!all.empty())
      between.push_back(range.low);
    all.push_back(gibbsTerms(range));
  }
  return {all, between};
}

/// Products minus reactants of a value that each species has.
double changeOf(const Reaction &reaction, const std::vector<double> &ofSpecies) {
  double change = 0;
  for (const Term &term : reaction.products)
    change += term.value * ofSpecies[term.species];
  for (const Term &term : reaction.reactants)
    change -= term.value * ofSpecies[term.species];
  return change;
}

/// The sum of multiples of `columns` that is nearest to `values`.
std::vector<double> nearestSum(const std::vector<std::vector<double>> &columns,
                               const std::vector<double> &values) {
  const std::vector<double> multiples = leastSquares(columns, values);
  std::vector<double> sum(values.size());
  for (size_t c = 0; c < columns.size(); ++c)
    for (size_t row = 0; row < sum.size(); ++row)
      sum[row] += multiples[c] * columns[c][row];
  return sum;
}

} // namespace

ProgramContext::ProgramContext(const Mechanism &mechanism, double pressureFactor, bool isRegular,
                               std::vector<unsigned> quasiSteady)
    : mechanism(mechanism), isRegular(isRegular), identifiers(identifiersOf(mechanism)),
      quasiSteady(std::move(quasiSteady)), hasThermo(mechanism.species.size()),
      shiftByReciprocal(mechanism.species.size()), shiftConstant(mechanism.species.size()) {
  for (const Reaction &reaction : mechanism.reactions)
    if (reaction.reverse == Reverse::Equilibrium)
      for (const std::vector<Term> *side : {&reaction.reactants, &reaction.products})
        for (const Term &term : *side)
          hasThermo[term.species] = true;
  const unsigned temperature = builder.addField("temperature", 1);
  const unsigned pressure = builder.addField("pressure", 1);
  moleFractions = builder.addField("moleFractions", unsigned(mechanism.species.size()));
  for (const std::string &name : identifiers)
    builder.addSum("w_" + name);
  builder.begin("the point");
  at.temperature = builder.named("T", builder.load(temperature, 0));
  at.reciprocal = builder.named("rT", reciprocal(at.temperature));
  at.log2Temperature = builder.named("lT", log2(at.temperature));
  at.pressure = builder.named("P", builder.load(pressure, 0) * pressureFactor);
  at.total = builder.named("cTotal", at.pressure * at.reciprocal * (1 / gasConstant));
  choosePotentials();
}

/// Any amount for each atom of an element may be taken off g/RT: it cancels in every reaction. Amounts that
/// make log2(1/phi) small keep products of phi and of a far from overflow at low temperatures.
void ProgramContext::choosePotentials() {
  if (mechanism.elements.empty())
    return;
  const size_t species = mechanism.species.size();
  std::vector<std::vector<double>> atoms(mechanism.elements.size(), std::vector<double>(species));
  std::vector<double> reciprocal(species), constant(species);
  for (size_t k = 0; k < species; ++k) {
    for (const ElementCount &part : mechanism.species[k].composition)
      atoms[part.element][k] = part.count;
    const GibbsTerms terms = gibbsRanges(mechanism.species[k].thermo).first.front();
    reciprocal[k] = terms.reciprocal;
    constant[k] = terms.powers[0] + 10 * terms.log; // near log2 1000, where chemistry happens
  }
  shiftByReciprocal = nearestSum(atoms, reciprocal);
  shiftConstant = nearestSum(atoms, constant);
}

bool ProgramContext::conservesElements(const Reaction &reaction) const {
  std::vector<double> balance(mechanism.elements.size());
  const auto count = [&](const std::vector<Term> &terms, double sign) {
    for (const Term &term : terms)
      for (const ElementCount &part : mechanism.species[term.species].composition)
        balance[part.element] += sign * term.value * part.count;
  };
  count(reaction.reactants, -1);
  count(reaction.products, 1);
  return std::ranges::all_of(balance, [](double rest) { return std::abs(rest) <= 1e-12; });
}

const SpeciesValues &ProgramContext::thermoOf(unsigned species) {
  auto [place, isNew] = thermo.try_emplace(species);
  SpeciesValues &values = place->second;
  if (!isNew)
    return values;
  const std::string &name = identifiers[species];
  const auto [ranges, between] = gibbsRanges(mechanism.species[species].thermo);
  const auto coefficient = [&](auto get) {
    flow::Steps steps{between, {}};
    for (const GibbsTerms &terms : ranges)
      steps.values.push_back(get(terms));
    return piecewise(at.temperature, steps);
  };
  builder.begin(mechanism.species[species].name);
  const double logStandard = std::log2(oneAtmosphere / gasConstant), shift = shiftConstant[species],
               shiftReciprocal = shiftByReciprocal[species];
  std::vector<Expr> powers;
  for (size_t i = 0; i < 5; ++i)
    powers.push_back(coefficient(
        [&](const GibbsTerms &terms) { return terms.powers[i] - (i == 0 ? logStandard + shift : 0); }));
  Expr log = fma(coefficient([](const GibbsTerms &terms) { return terms.log + 1; }), at.log2Temperature,
                 polynomial(powers, at.temperature));
  values.logScale = builder.named("g_" + name, fma(coefficient([&](const GibbsTerms &terms) {
                                                     return terms.reciprocal - shiftReciprocal;
                                                   }),
                                                   at.reciprocal, log));
  values.scale = builder.named("f_" + name, exp2(0.0 - values.logScale));
  if (!isCarried(species))
    return values;
  const Expr fraction = builder.named("x_" + name, builder.load(moleFractions, species));
  values.activity = builder.named("a_" + name, at.total * fraction * reciprocal(values.scale));
  return values;
}

Expr ProgramContext::concentrationOf(unsigned species) {
  if (hasThermo[species]) {
    const SpeciesValues &values = thermoOf(species);
    return values.activity * values.scale;
  }
  return carriedConcentrationOf(species);
}

bool ProgramContext::isCarried(unsigned species) const {
  return std::ranges::find(quasiSteady, species) == quasiSteady.end();
}

Expr ProgramContext::carriedConcentrationOf(unsigned species) {
  auto [place, isNew] = concentrations.try_emplace(species, 0.0);
  if (isNew) {
    builder.begin("concentration of " + mechanism.species[species].name);
    const std::string &name = identifiers[species];
    place->second = builder.named("n_" + name, at.total * builder.load(moleFractions, species));
  }
  return place->second;
}

const ColliderValues &ProgramContext::colliderOf(const Collider &collider) {
  // The default efficiency counts for all that is there: mole fractions add up to 1.
  std::vector<double> key = {collider.named ? double(*collider.named) : -1, collider.defaultEfficiency};
  for (const Term &term : collider.efficiencies)
    key.insert(key.end(), {double(term.species), term.value});
  auto [place, isNew] = colliders.try_emplace(key);
  if (!isNew)
    return place->second;
  const std::string number = std::to_string(colliders.size());
  ColliderValues &values = place->second;
  Expr share = collider.defaultEfficiency;
  if (collider.named) {
    builder.begin("collider " + mechanism.species[*collider.named].name);
    share = builder.load(moleFractions, *collider.named);
  } else {
    builder.begin("colliders, by their efficiencies");
    for (const Term &term : collider.efficiencies)
      if (term.value != collider.defaultEfficiency && isCarried(term.species))
        share =
            fma(term.value - collider.defaultEfficiency, builder.load(moleFractions, term.species), share);
  }
  values.concentration = builder.named("M" + number, at.total * share);
  values.log = builder.named("lM" + number, log2(max(values.concentration, 1e-300)));
  return values;
}

Expr ProgramContext::log2Pressure() {
  if (pressureLog.empty()) {
    builder.begin("pressure");
    pressureLog.push_back(builder.named("lP", log2(at.pressure)));
  }
  return pressureLog.front();
}

void ProgramContext::prepare(const Reaction &reaction) {
  const auto species = [&](const std::vector<Term> &terms) {
    for (const Term &term : terms)
      if (hasThermo[term.species])
        thermoOf(term.species);
      else if (isCarried(term.species))
        concentrationOf(term.species);
  };
  species(reaction.reactants);
  species(reaction.products);
  for (const auto &orders : {reaction.forwardOrders, reaction.reverseOrders})
    if (orders)
      species(*orders);
  if (reaction.collider)
    colliderOf(*reaction.collider);
  const auto needsPressure = [](const Rate &rate) {
    return std::holds_alternative<Plog>(rate) || std::holds_alternative<Chebyshev>(rate);
  };
  if (needsPressure(reaction.rate) || (reaction.reverseRate && needsPressure(*reaction.reverseRate)))
    log2Pressure();
}

void ProgramContext::contribute(const Reaction &reaction, const Expr &rate) {
  std::vector<double> change(mechanism.species.size());
  for (const Term &term : reaction.products)
    change[term.species] += term.value;
  for (const Term &term : reaction.reactants)
    change[term.species] -= term.value;
  for (unsigned species = 0; species < change.size(); ++species)
    builder.add(species, change[species], rate);
}

Expr ProgramContext::logReciprocalEquilibrium(const Reaction &reaction) {
  Expr sum = 0.0;
  if (!conservesElements(reaction))
    sum = fma(changeOf(reaction, shiftByReciprocal), at.reciprocal, changeOf(reaction, shiftConstant));
  for (const Term &term : reaction.products)
    sum = fma(term.value, thermoOf(term.species).logScale, sum);
  for (const Term &term : reaction.reactants)
    sum = fma(-term.value, thermoOf(term.species).logScale, sum);
  return sum;
}

bool ProgramContext::goesByActivities(const Reaction &reaction) const {
  return reaction.reverse == Reverse::Equilibrium && !reaction.forwardOrders && !reaction.reverseOrders &&
         hasWholePowers(reaction.reactants) && hasWholePowers(reaction.products) &&
         conservesElements(reaction);
}

bool hasWholePowers(const std::vector<Term> &terms) {
  return std::ranges::all_of(
      terms, [](const Term &term) { return term.value == 1 || term.value == 2 || term.value == 3; });
}

} // namespace heddle::chem
