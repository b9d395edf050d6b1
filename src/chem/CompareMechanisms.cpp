// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first difference between two mechanisms, by what they mean: CHEMKIN and YAML files of one mechanism must be equal.
//
// Where a format leaves freedom, both sides are put into one form first: pairs of irreversible reactions that are each other's reverse become
// one reaction (PairReverse), and composition, reactants, products and efficiencies are sorted. Orders that are not given are the
// stoichiometric coefficients. The order of species and of reactions counts, because states and rates are indexed by it. Numbers are compared with a
// relative tolerance: files round differently when they convert units. The comparison stops at the first difference, which is named by the path to it.
#include "chem/CompareMechanisms.h"

#include "chem/PairReverse.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

/// Looks for the first difference; `path` says where it is.
class Comparer {
public:
  explicit Comparer(double tolerance) : tolerance(tolerance) {}

  std::optional<std::string> run(const Mechanism &a, const Mechanism &b) {
    compareElements(a, b);
    compareSpecies(a, b);
    if (!difference)
      compareReactions(a, b);
    return difference;
  }

private:
  void differ(const std::string &what) {
    if (!difference)
      difference = what;
  }

  bool isClose(double a, double b) const {
    return a == b || std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
  }

  void number(const std::string &where, double a, double b) {
    if (!isClose(a, b))
      differ(fmt::format("{}: {:.17g} and {:.17g}", where, a, b));
  }

  template <typename T> void same(const std::string &where, const T &a, const T &b) {
    if (a != b)
      differ(fmt::format("{}: {} and {}", where, a, b));
  }

  // Elements and species

  void compareElements(const Mechanism &a, const Mechanism &b) {
    same("number of elements", a.elements.size(), b.elements.size());
    for (size_t i = 0; i < a.elements.size() && !difference; ++i) {
      same(fmt::format("element {}", i + 1), a.elements[i].name, b.elements[i].name);
      number("weight of element " + a.elements[i].name, a.elements[i].weight, b.elements[i].weight);
    }
  }

  void compareSpecies(const Mechanism &a, const Mechanism &b) {
    same("number of species", a.species.size(), b.species.size());
    for (size_t i = 0; i < a.species.size() && !difference; ++i)
      compareSpecies(a.species[i], b.species[i]);
  }

  void compareSpecies(const Species &a, const Species &b) {
    std::string where = "species " + a.name;
    same("name of a species", a.name, b.name);
    same(where + ", charge", a.charge, b.charge);
    number(where + ", weight", a.weight, b.weight);
    compareComposition(where, a, b);
    compareThermo(where, a.thermo, b.thermo);
    same(where + ", has transport data", a.transport.has_value(), b.transport.has_value());
    if (a.transport && b.transport)
      compareTransport(where, *a.transport, *b.transport);
  }

  void compareComposition(const std::string &where, Species a, Species b) {
    std::ranges::sort(a.composition, {}, &ElementCount::element);
    std::ranges::sort(b.composition, {}, &ElementCount::element);
    same(where + ", number of elements", a.composition.size(), b.composition.size());
    for (size_t i = 0; i < a.composition.size() && !difference; ++i) {
      same(where + ", element", a.composition[i].element, b.composition[i].element);
      number(where + ", atoms", a.composition[i].count, b.composition[i].count);
    }
  }

  void compareThermo(const std::string &where, const Thermo &a, const Thermo &b) {
    same(where + ", kind of thermo data", a.index(), b.index());
    if (difference)
      return;
    if (const auto *cp = std::get_if<ConstantCp>(&a)) {
      compareConstantCp(where, *cp, std::get<ConstantCp>(b));
      return;
    }
    const auto &ranges = std::get<std::vector<Nasa7Range>>(a), &others = std::get<std::vector<Nasa7Range>>(b);
    same(where + ", number of temperature ranges", ranges.size(), others.size());
    for (size_t i = 0; i < ranges.size() && !difference; ++i) {
      number(where + ", lower limit", ranges[i].low, others[i].low);
      number(where + ", upper limit", ranges[i].high, others[i].high);
      for (size_t j = 0; j < ranges[i].a.size(); ++j)
        number(fmt::format("{}, a{} of range {}", where, j + 1, i + 1), ranges[i].a[j], others[i].a[j]);
    }
  }

  void compareConstantCp(const std::string &where, const ConstantCp &a, const ConstantCp &b) {
    number(where + ", T0", a.temperature, b.temperature);
    number(where + ", h0", a.enthalpy, b.enthalpy);
    number(where + ", s0", a.entropy, b.entropy);
    number(where + ", cp", a.cp, b.cp);
    number(where + ", lower limit", a.low, b.low);
    number(where + ", upper limit", a.high, b.high);
  }

  void compareTransport(const std::string &where, const Transport &a, const Transport &b) {
    same(where + ", geometry", int(a.geometry), int(b.geometry));
    number(where + ", well depth", a.wellDepth, b.wellDepth);
    number(where + ", diameter", a.diameter, b.diameter);
    number(where + ", dipole moment", a.dipole, b.dipole);
    number(where + ", polarizability", a.polarizability, b.polarizability);
    number(where + ", rotational relaxation", a.rotationalRelaxation, b.rotationalRelaxation);
    number(where + ", acentric factor", a.acentricFactor, b.acentricFactor);
    number(where + ", dispersion", a.dispersion, b.dispersion);
    number(where + ", quadrupole", a.quadrupole, b.quadrupole);
  }

  // Reactions

  void compareReactions(const Mechanism &a, const Mechanism &b) {
    for (size_t i = 0; i < std::min(a.reactions.size(), b.reactions.size()) && !difference; ++i)
      compareReaction(fmt::format("reaction {} ({})", i + 1, a.reactions[i].equation), a.reactions[i],
                      b.reactions[i]);
    same("number of reactions", a.reactions.size(), b.reactions.size());
  }

  void compareReaction(const std::string &where, const Reaction &a, const Reaction &b) {
    terms(where + ", reactants", a.reactants, b.reactants);
    terms(where + ", products", a.products, b.products);
    compareCollider(where, a.collider, b.collider);
    compareRate(where, a.rate, b.rate);
    same(where + ", kind of reverse rate", int(a.reverse), int(b.reverse));
    same(where + ", has a reverse rate", a.reverseRate.has_value(), b.reverseRate.has_value());
    if (a.reverseRate && b.reverseRate)
      compareRate(where + ", reverse", *a.reverseRate, *b.reverseRate);
    terms(where + ", orders", a.forwardOrders.value_or(a.reactants), b.forwardOrders.value_or(b.reactants));
    terms(where + ", reverse orders", a.reverseOrders.value_or(a.products),
          b.reverseOrders.value_or(b.products));
  }

  void terms(const std::string &where, std::vector<Term> a, std::vector<Term> b) {
    std::ranges::sort(a, {}, &Term::species);
    std::ranges::sort(b, {}, &Term::species);
    same(where + ", number", a.size(), b.size());
    for (size_t i = 0; i < a.size() && !difference; ++i) {
      same(where + ", species", a[i].species, b[i].species);
      number(where, a[i].value, b[i].value);
    }
  }

  void compareCollider(const std::string &where, const std::optional<Collider> &a,
                       const std::optional<Collider> &b) {
    same(where + ", has a third body", a.has_value(), b.has_value());
    if (!a || !b)
      return;
    same(where + ", names its third body", a->named.has_value(), b->named.has_value());
    same(where + ", third body", a->named.value_or(0), b->named.value_or(0));
    number(where + ", default efficiency", a->defaultEfficiency, b->defaultEfficiency);
    terms(where + ", efficiencies", a->efficiencies, b->efficiencies);
  }

  // Rates

  void compareRate(const std::string &where, const Rate &a, const Rate &b) {
    same(where + ", kind of rate", a.index(), b.index());
    if (!difference)
      std::visit([&](const auto &rate) { compare(where, rate, std::get<std::decay_t<decltype(rate)>>(b)); },
                 a);
  }

  void compare(const std::string &where, const Arrhenius &a, const Arrhenius &b) {
    number(where + ", A", a.a, b.a);
    number(where + ", b", a.b, b.b);
    number(where + ", activation temperature", a.activationTemperature, b.activationTemperature);
  }

  void compare(const std::string &where, const LandauTeller &a, const LandauTeller &b) {
    compare(where, a.arrhenius, b.arrhenius);
    number(where + ", B", a.b, b.b);
    number(where + ", C", a.c, b.c);
  }

  void compare(const std::string &where, const Falloff &a, const Falloff &b) {
    compare(where + ", low", a.low, b.low);
    compare(where + ", high", a.high, b.high);
    same(where + ", chemically activated", a.chemicallyActivated, b.chemicallyActivated);
    same(where + ", falloff shape", a.shape.index(), b.shape.index());
    if (!difference)
      std::visit(
          [&](const auto &shape) { compare(where, shape, std::get<std::decay_t<decltype(shape)>>(b.shape)); },
          a.shape);
  }

  void compare(const std::string &, const Lindemann &, const Lindemann &) {}

  void compare(const std::string &where, const Troe &a, const Troe &b) {
    number(where + ", Troe a", a.a, b.a);
    number(where + ", Troe T3", a.t3, b.t3);
    number(where + ", Troe T1", a.t1, b.t1);
    same(where + ", has Troe T2", a.t2.has_value(), b.t2.has_value());
    number(where + ", Troe T2", a.t2.value_or(0), b.t2.value_or(0));
  }

  void compare(const std::string &where, const Sri &a, const Sri &b) {
    number(where + ", SRI a", a.a, b.a);
    number(where + ", SRI b", a.b, b.b);
    number(where + ", SRI c", a.c, b.c);
    number(where + ", SRI d", a.d, b.d);
    number(where + ", SRI e", a.e, b.e);
  }

  void compare(const std::string &where, const Plog &a, const Plog &b) {
    same(where + ", number of pressures", a.points.size(), b.points.size());
    for (size_t i = 0; i < a.points.size() && !difference; ++i) {
      number(where + ", pressure", a.points[i].pressure, b.points[i].pressure);
      same(where + ", rates at a pressure", a.points[i].rates.size(), b.points[i].rates.size());
      for (size_t j = 0; j < a.points[i].rates.size() && !difference; ++j)
        compare(fmt::format("{}, pressure {}", where, i + 1), a.points[i].rates[j], b.points[i].rates[j]);
    }
  }

  void compare(const std::string &where, const Chebyshev &a, const Chebyshev &b) {
    number(where + ", lowest temperature", a.lowTemperature, b.lowTemperature);
    number(where + ", highest temperature", a.highTemperature, b.highTemperature);
    number(where + ", lowest pressure", a.lowPressure, b.lowPressure);
    number(where + ", highest pressure", a.highPressure, b.highPressure);
    same(where + ", temperatures", a.temperatures, b.temperatures);
    same(where + ", pressures", a.pressures, b.pressures);
    for (size_t i = 0; i < a.coefficients.size() && !difference; ++i)
      number(fmt::format("{}, coefficient {}", where, i), a.coefficients[i], b.coefficients[i]);
  }

  double tolerance;
  std::optional<std::string> difference;
};

} // namespace

std::optional<std::string> firstDifference(Mechanism a, Mechanism b, double tolerance) {
  pairReverseReactions(a);
  pairReverseReactions(b);
  return Comparer(tolerance).run(a, b);
}

} // namespace heddle::chem
