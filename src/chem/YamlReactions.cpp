// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reaction of a YAML file in phases: the equation, orders, the form of the rate and whether it goes with the
// equation's (+M), the third body, and then the rate constants, whose units depend on the orders.
#include "chem/YamlReactions.h"

#include "chem/Constants.h"
#include "chem/Equation.h"

#include <algorithm>
#include <cmath>

namespace heddle::chem {
namespace {

enum class Form { Arrhenius, ThreeBody, Falloff, ChemicallyActivated, Plog, Chebyshev };

struct NamedForm {
  std::string_view name;
  Form form;
};
constexpr NamedForm forms[] = {
    {"elementary", Form::Arrhenius},
    {"Arrhenius", Form::Arrhenius},
    {"three-body", Form::ThreeBody},
    {"three-body-Arrhenius", Form::ThreeBody},
    {"falloff", Form::Falloff},
    {"chemically-activated", Form::ChemicallyActivated},
    {"pressure-dependent-Arrhenius", Form::Plog},
    {"Chebyshev", Form::Chebyshev},
};

YamlMap mapOf(Form form) {
  switch (form) {
  case Form::Arrhenius: return YamlMap::Elementary;
  case Form::ThreeBody: return YamlMap::ThreeBody;
  case Form::Falloff:
  case Form::ChemicallyActivated: return YamlMap::Falloff;
  case Form::Plog: return YamlMap::Plog;
  case Form::Chebyshev: return YamlMap::Chebyshev;
  }
  return YamlMap::Elementary;
}

/// What all phases read.
struct Source {
  const YamlNode &node;
  const NameTable &species;
  const YamlUnits units;
  const YamlValues &values;
  Diagnostics &diagnostics;
};

/// A reaction of which the equation is known, and the third body that is in it.
struct EquationOfNode {
  Reaction reaction;
  std::optional<ColliderMark> mark;
};

std::optional<EquationOfNode> equationOf(const Source &from) {
  const YamlNode text = from.node["equation"];
  if (!text.isText()) {
    from.diagnostics.error(from.node.location(), "a reaction lacks its equation");
    return std::nullopt;
  }
  Reaction reaction;
  reaction.equation = text.text();
  reaction.location = text.location();
  auto location = [&](size_t column, size_t length) { return text.location(column, length); };
  std::optional<Equation> equation =
      readEquation(reaction.equation, from.species, location, from.diagnostics);
  if (!equation)
    return std::nullopt;
  reaction.reactants = std::move(equation->reactants);
  reaction.products = std::move(equation->products);
  reaction.reverse = equation->isReversible ? Reverse::Equilibrium : Reverse::None;
  return EquationOfNode{std::move(reaction), equation->collider};
}

bool checkMark(Form form, const EquationOfNode &equation, Diagnostics &diagnostics) {
  const Reaction &reaction = equation.reaction;
  const std::optional<ColliderMark> &mark = equation.mark;
  bool isFalloff = form == Form::Falloff || form == Form::ChemicallyActivated;
  bool inParentheses = mark && mark->inParentheses;
  if (isFalloff && !inParentheses) {
    diagnostics
        .error(reaction.location, fmt::format("the falloff reaction '{}' lacks '(+M)'", reaction.equation))
        .withHint("write '(+M)' on both sides of the equation");
    return false;
  }
  if (inParentheses && (form == Form::Arrhenius || form == Form::ThreeBody)) {
    diagnostics
        .error(reaction.location,
               fmt::format("'{}' has a '(+M)' and is no falloff reaction", reaction.equation))
        .withHint("add 'type: falloff', or write '+ M'");
    return false;
  }
  return true;
}

/// A reaction without a type is elementary, or of a third body where the equation has one.
std::optional<Form> formOf(const Source &from, const EquationOfNode &equation) {
  const std::optional<ColliderMark> &mark = equation.mark;
  YamlNode type = from.node["type"];
  Form form = mark && !mark->inParentheses ? Form::ThreeBody : Form::Arrhenius;
  if (type.exists()) {
    auto found = std::ranges::find(forms, type.text(), &NamedForm::name);
    if (found == std::ranges::end(forms)) {
      from.diagnostics
          .refuse(type.location(), fmt::format("reactions of type '{}' are not supported", type.text()))
          .withHint("elementary, three-body, falloff, chemically-activated, pressure-dependent-Arrhenius and "
                    "Chebyshev are");
      return std::nullopt;
    }
    form = found->form;
  }
  return checkMark(form, equation, from.diagnostics) ? std::optional(form) : std::nullopt;
}

// Orders and colliders

std::optional<unsigned> findSpecies(const Source &from, const YamlNode &name, std::string_view what) {
  std::optional<unsigned> found = from.species.find(name.text());
  if (!found)
    from.diagnostics
        .error(name.location(),
               fmt::format("{} is given for species '{}', which is not declared", what, name.text()))
        .withHint(from.species.hintFor(name.text()));
  return found;
}

/// Cantera's rules: a reverse rate from the equilibrium constant needs the orders of the equation, and orders that
/// are negative or of other species need a flag.
std::optional<std::vector<Term>> ordersOf(const Source &from, const Reaction &reaction) {
  const YamlNode orders = from.node["orders"];
  if (!orders.exists() || (orders.isMap() && orders.pairs().empty()))
    return std::nullopt;
  if (reaction.reverse != Reverse::None) {
    from.diagnostics
        .error(orders.location(),
               fmt::format("orders are given for the reversible reaction '{}'", reaction.equation))
        .withHint("write it as '=>', and the reverse reaction on its own");
    return std::nullopt;
  }
  const auto needsFlag = [&](const YamlNode &name, const char *what, const char *flag) {
    if (!from.values.flag(from.node[flag]))
      from.diagnostics.error(name.location(), fmt::format("the order of '{}' {}", name.text(), what))
          .withHint(fmt::format("add '{}: true' if this is meant", flag));
  };
  std::vector<Term> terms = reaction.reactants;
  for (const auto &[name, number] : orders.pairs()) {
    std::optional<unsigned> which = findSpecies(from, name, "an order");
    std::optional<double> order = from.values.number(number, "an order");
    if (!which || !order)
      continue;
    if (*order < 0)
      needsFlag(name, "is negative", "negative-orders");
    auto term = std::ranges::find(terms, *which, &Term::species);
    if (term == terms.end())
      needsFlag(name, "is that of a species that is no reactant", "nonreactant-orders");
    if (term == terms.end())
      terms.push_back({*which, *order});
    else
      term->value = *order;
  }
  std::erase_if(terms, [](const Term &term) { return term.value == 0; });
  return terms;
}

/// The species on both sides of an equation: Cantera's explicit colliders.
std::vector<unsigned> explicitColliders(const Reaction &reaction) {
  std::vector<unsigned> both;
  for (const Term &term : reaction.reactants)
    if (std::ranges::find(reaction.products, term.species, &Term::species) != reaction.products.end())
      both.push_back(term.species);
  return both;
}

/// Efficiencies of a reaction with an explicit collider, H + O2 + O2 <=> HO2 + O2, can only repeat that it is one, with
/// an efficiency of 1. As in Cantera, those of other species are an error. (M in its place would be another rate.)
void checkExplicitEfficiencies(const Source &from, const std::vector<unsigned> &colliders) {
  const YamlNode efficiencies = from.node["efficiencies"];
  const auto pairs = efficiencies.pairs();
  const std::string collider = from.species.name(colliders.front());
  const std::optional<unsigned> named =
      pairs.size() == 1 ? from.species.find(pairs[0].first.text()) : std::nullopt;
  if (!named || std::ranges::find(colliders, *named) == colliders.end()) {
    from.diagnostics
        .error(efficiencies.location(), "efficiencies of other species are given for a reaction without 'M'")
        .withHint(fmt::format("remove 'efficiencies': '{}' is the collider", collider));
    return;
  }
  const std::optional<double> value = from.values.number(pairs[0].second, "an efficiency");
  if (value && *value != 1)
    from.diagnostics
        .error(efficiencies.location(),
               fmt::format("the efficiency of the collider '{}' is not 1", from.species.name(*named)))
        .withHint(fmt::format("multiply A by {} and remove 'efficiencies'", *value));
}

void checkEfficienciesWithoutMark(const Source &from, const Reaction &reaction,
                                  bool dependsOnPressureItself) {
  const YamlNode efficiencies = from.node["efficiencies"];
  const std::vector<unsigned> colliders = explicitColliders(reaction);
  if (dependsOnPressureItself)
    from.diagnostics.warning(efficiencies.location(),
                             "efficiencies have no effect on a rate that depends on pressure itself");
  else if (!colliders.empty() && from.node["type"].text() != "elementary")
    checkExplicitEfficiencies(from, colliders);
  else
    from.diagnostics
        .error(efficiencies.location(), "efficiencies are given for a reaction without a third body")
        .withHint("write '+ M' or '(+M)' on both sides of the equation");
}

/// Cantera's rules, for type three-body without M.
void checkExplicitCollider(const Source &from, const Reaction &reaction) {
  if (explicitColliders(reaction).empty())
    from.diagnostics
        .error(reaction.location,
               fmt::format("the three-body reaction '{}' has no third body", reaction.equation))
        .withHint("write '+ M' on both sides of the equation, or remove 'type'");
  const YamlNode byDefault = from.node["default-efficiency"];
  if (byDefault.exists() && from.values.number(byDefault, "the default efficiency").value_or(0) != 0)
    from.diagnostics
        .error(byDefault.location(), "the default efficiency of a reaction without 'M' can only be 0")
        .withHint("remove 'default-efficiency'");
}

/// A species on both sides, though Cantera calls it a collider, is a reactant here: the rate is the same.
std::optional<Collider> colliderOf(const Source &from, const EquationOfNode &equation, Form form,
                                   bool skipsThirdBodies) {
  const std::optional<ColliderMark> &mark = equation.mark;
  bool dependsOnPressureItself = form == Form::Plog || form == Form::Chebyshev;
  YamlNode efficiencies = from.node["efficiencies"];
  if (!mark || dependsOnPressureItself) {
    if (form == Form::ThreeBody)
      checkExplicitCollider(from, equation.reaction);
    if (efficiencies.exists())
      checkEfficienciesWithoutMark(from, equation.reaction, dependsOnPressureItself);
    return std::nullopt;
  }
  Collider collider{.named = mark->species};
  if (YamlNode byDefault = from.node["default-efficiency"]; byDefault.exists())
    collider.defaultEfficiency = from.values.number(byDefault, "the default efficiency").value_or(1);
  for (const auto &[name, number] : efficiencies.pairs()) {
    if (skipsThirdBodies && !from.species.find(name.text()))
      continue;
    std::optional<unsigned> which = findSpecies(from, name, "an efficiency");
    std::optional<double> value = from.values.number(number, "an efficiency");
    if (which && value && *value != collider.defaultEfficiency)
      collider.efficiencies.push_back({*which, *value});
  }
  if (collider.named && !collider.efficiencies.empty())
    from.diagnostics.error(efficiencies.location(), "efficiencies need the third body 'M', not a species");
  return collider;
}

// Rates

/// Reads the rate constant of a reaction of that order.
class RateReader {
public:
  RateReader(const Source &from, const Reaction &reaction, double order)
      : node(from.node), units(from.units), values(from.values), diagnostics(from.diagnostics),
        reaction(reaction), order(order) {}

  /// Nothing where what the form needs is not there.
  std::optional<Rate> make(Form form, bool hasCollider) const {
    switch (form) {
    case Form::Arrhenius: return arrheniusOf("rate-constant", order);
    case Form::ThreeBody: return arrheniusOf("rate-constant", order + (hasCollider ? 1 : 0));
    case Form::Falloff: return falloff(order + 1, order, false);
    case Form::ChemicallyActivated: return falloff(order, order - 1, true);
    case Form::Plog: return plog();
    case Form::Chebyshev: return chebyshev();
    }
    return std::nullopt;
  }

private:
  Arrhenius arrheniusOf(std::string_view key, double rateOrder) const {
    YamlNode given = node[key];
    if (given.exists())
      return arrhenius(given, rateOrder, YamlMap::RateConstant);
    diagnostics.error(reaction.location, fmt::format("reaction '{}' lacks '{}'", reaction.equation, key));
    return {};
  }

  /// `{A: 1.0e+12, b: 0.0, Ea: 2000.0}` or `[1.0e+12, 0.0, 2000.0]`.
  Arrhenius arrhenius(const YamlNode &given, double rateOrder, YamlMap kind) const {
    values.keys.check(given, kind);
    std::vector<YamlNode> list = given.items();
    bool isList = list.size() == 3;
    YamlNode a = isList ? list[0] : given["A"], b = isList ? list[1] : given["b"],
             e = isList ? list[2] : given["Ea"];
    if (!a.exists() || !b.exists() || !e.exists()) {
      diagnostics
          .error(given.location(),
                 fmt::format("a rate constant of '{}' needs A, b and Ea", reaction.equation))
          .withHint("such as '{A: 1.0e+12, b: 0.5, Ea: 2000.0}'");
      return {};
    }
    auto factor = values.quantity(a, rateDimension(rateOrder), units.rateFactor(rateOrder), "A");
    auto exponent = values.number(b, "b");
    auto temperature = values.activationTemperature(e, units);
    return {factor.value_or(0), exponent.value_or(0), temperature.value_or(0)};
  }

  Falloff falloff(double lowOrder, double highOrder, bool isChemicallyActivated) const {
    Falloff rate;
    rate.chemicallyActivated = isChemicallyActivated;
    rate.low = arrheniusOf("low-P-rate-constant", lowOrder);
    rate.high = arrheniusOf("high-P-rate-constant", highOrder);
    YamlNode troe = node["Troe"], sri = node["SRI"], tsang = node["Tsang"];
    if (tsang.exists())
      diagnostics.refuse(tsang.location(), "Tsang's falloff shape is not supported");
    if (troe.exists() && sri.exists())
      diagnostics.error(sri.location(), "a reaction cannot have both Troe and SRI")
          .note(troe.location(), "Troe is given here");
    if (troe.exists())
      rate.shape = troeShape(troe);
    else if (sri.exists())
      rate.shape = sriShape(sri);
    return rate;
  }

  Troe troeShape(const YamlNode &given) const {
    values.keys.check(given, YamlMap::Troe);
    auto temperature = [&](std::string_view key) {
      YamlNode value = given[key];
      if (!value.exists())
        diagnostics.error(given.location(), fmt::format("Troe of '{}' lacks '{}'", reaction.equation, key));
      // Zero would be a warning of its own.
      return value.exists() ? values.quantity(value, temperatureDimension, 1, key).value_or(1) : 1;
    };
    Troe shape{values.number(given, "A", "Troe").value_or(0), temperature("T3"), temperature("T1"), {}};
    if (given["T2"].exists())
      shape.t2 = temperature("T2");
    return shape;
  }

  Sri sriShape(const YamlNode &given) const {
    values.keys.check(given, YamlMap::Sri);
    auto read = [&](std::string_view key, double &value) {
      value = values.number(given, key, "SRI").value_or(0);
    };
    Sri shape;
    read("A", shape.a);
    read("B", shape.b);
    read("C", shape.c);
    if (given["D"].exists() || given["E"].exists()) {
      read("D", shape.d);
      read("E", shape.e);
    }
    return shape;
  }

  double pressureOf(const YamlNode &given) const {
    std::optional<double> pressure = values.quantity(given, pressureDimension, units.pressure, "a pressure");
    if (pressure && *pressure <= 0)
      diagnostics.error(given.location(), "a pressure must be positive");
    return pressure.value_or(1);
  }

  Plog plog() const {
    std::vector<Plog::Point> points;
    std::vector<YamlNode> entries = node["rate-constants"].items();
    if (entries.empty())
      diagnostics.error(reaction.location,
                        fmt::format("reaction '{}' lacks 'rate-constants'", reaction.equation));
    for (const YamlNode &entry : entries) {
      if (!entry["P"].exists()) {
        diagnostics.error(entry.location(),
                          "a rate constant of a pressure-dependent reaction needs P, A, b and Ea");
        continue;
      }
      double pressure = pressureOf(entry["P"]);
      auto point = std::ranges::find(points, pressure, &Plog::Point::pressure);
      if (point == points.end())
        point = points.insert(points.end(), {pressure, {}});
      point->rates.push_back(arrhenius(entry, order, YamlMap::RateConstantAtPressure));
    }
    std::ranges::sort(points, {}, &Plog::Point::pressure);
    return {std::move(points)};
  }

  std::optional<Rate> chebyshev() const {
    Chebyshev rate;
    std::vector<YamlNode> temperatures = node["temperature-range"].items(),
                          pressures = node["pressure-range"].items();
    if (temperatures.size() != 2 || pressures.size() != 2) {
      diagnostics
          .error(reaction.location,
                 fmt::format("the Chebyshev rate of '{}' needs its ranges", reaction.equation))
          .withHint("'temperature-range: [300.0, 2000.0]' and 'pressure-range: [0.01 atm, 100 atm]'");
      return std::nullopt;
    }
    rate.lowTemperature =
        values.quantity(temperatures[0], temperatureDimension, 1, "a temperature").value_or(1);
    rate.highTemperature =
        values.quantity(temperatures[1], temperatureDimension, 1, "a temperature").value_or(2);
    rate.lowPressure = pressureOf(pressures[0]);
    rate.highPressure = pressureOf(pressures[1]);
    if (rate.lowTemperature <= 0 || rate.lowTemperature >= rate.highTemperature)
      diagnostics.error(node["temperature-range"].location(),
                        "a range takes a lower and a higher positive number");
    if (rate.lowPressure >= rate.highPressure)
      diagnostics.error(node["pressure-range"].location(),
                        "a range takes a lower and a higher positive number");
    return setCoefficients(rate) ? std::optional<Rate>(std::move(rate)) : std::nullopt;
  }

  bool setCoefficients(Chebyshev &rate) const {
    std::vector<YamlNode> rows = node["data"].items();
    rate.temperatures = unsigned(rows.size());
    rate.pressures = rows.empty() ? 0 : unsigned(rows[0].items().size());
    for (const YamlNode &row : rows)
      for (const YamlNode &item : row.items())
        rate.coefficients.push_back(values.number(item, "a coefficient").value_or(0));
    if (rate.coefficients.empty() || rate.coefficients.size() != size_t(rate.temperatures) * rate.pressures) {
      diagnostics.error(
          node["data"].exists() ? node["data"].location() : reaction.location,
          fmt::format("the Chebyshev rate of '{}' needs rows of coefficients, all of one length",
                      reaction.equation));
      return false;
    }
    rate.coefficients[0] += std::log10(units.rateFactor(order));
    return true;
  }

  const YamlNode &node;
  const YamlUnits &units;
  const YamlValues &values;
  Diagnostics &diagnostics;
  const Reaction &reaction; ///< for messages
  const double order;
};

double orderOf(const Reaction &reaction) {
  double total = 0;
  for (const Term &term : reaction.forwardOrders ? *reaction.forwardOrders : reaction.reactants)
    total += term.value;
  return total;
}

} // namespace

std::optional<Reaction> readYamlReaction(const YamlNode &node, const NameTable &species,
                                         bool skipsThirdBodies, const YamlUnits &units,
                                         const YamlValues &values) {
  const Source from{node, species, values.unitsOf(node, units), values, values.diagnostics};
  std::optional<EquationOfNode> equation = equationOf(from);
  if (!equation)
    return std::nullopt;
  Reaction &reaction = equation->reaction;
  reaction.duplicate = values.flag(node["duplicate"]);
  reaction.statesNegativeFactor = values.flag(node["negative-A"]);
  reaction.forwardOrders = ordersOf(from, reaction);
  if (const std::optional<Form> form = formOf(from, *equation)) {
    values.keys.check(node, mapOf(*form));
    reaction.collider = colliderOf(from, *equation, *form, skipsThirdBodies);
    const RateReader rates(from, reaction, orderOf(reaction));
    if (std::optional<Rate> rate = rates.make(*form, reaction.collider.has_value()))
      reaction.rate = std::move(*rate);
  }
  return std::move(reaction);
}

} // namespace heddle::chem
