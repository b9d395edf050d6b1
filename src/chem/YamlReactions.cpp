// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

class ReactionReader {
public:
  ReactionReader(const YamlNode &node, const NameTable &species, bool skipsThirdBodies,
                 const YamlUnits &units, const YamlValues &values)
      : node(node), species(species), skipsThirdBodies(skipsThirdBodies), units(values.unitsOf(node, units)),
        values(values), diagnostics(values.diagnostics) {}

  std::optional<Reaction> read() {
    if (!readEquationOfNode())
      return std::nullopt;
    reaction.duplicate = values.flag(node["duplicate"]);
    reaction.forwardOrders = readOrders();
    if (std::optional<Form> form = readForm()) {
      setCollider(*form);
      setRate(*form);
    }
    return std::move(reaction);
  }

private:
  bool readEquationOfNode() {
    YamlNode text = node["equation"];
    if (!text.isText()) {
      diagnostics.error(node.place(), "a reaction lacks its equation");
      return false;
    }
    reaction.equation = text.text();
    reaction.place = text.place();
    auto place = [&](size_t column, size_t length) { return text.place(column, length); };
    std::optional<Equation> equation = readEquation(reaction.equation, species, place, diagnostics);
    if (!equation)
      return false;
    reaction.reactants = std::move(equation->reactants);
    reaction.products = std::move(equation->products);
    reaction.reverse = equation->isReversible ? Reverse::Equilibrium : Reverse::None;
    mark = equation->collider;
    return true;
  }

  /// A reaction without a type is elementary, or of a third body where the equation has one.
  std::optional<Form> readForm() {
    YamlNode type = node["type"];
    Form form = mark && !mark->inParentheses ? Form::ThreeBody : Form::Arrhenius;
    if (type.exists()) {
      auto found = std::ranges::find(forms, type.text(), &NamedForm::name);
      if (found == std::ranges::end(forms)) {
        diagnostics.refuse(type.place(), fmt::format("reactions of type '{}' are not supported", type.text()))
            .withHint(
                "elementary, three-body, falloff, chemically-activated, pressure-dependent-Arrhenius and "
                "Chebyshev are");
        return std::nullopt;
      }
      form = found->form;
    }
    return checkMark(form) ? std::optional(form) : std::nullopt;
  }

  bool checkMark(Form form) {
    bool isFalloff = form == Form::Falloff || form == Form::ChemicallyActivated;
    bool inParentheses = mark && mark->inParentheses;
    if (isFalloff && !inParentheses) {
      diagnostics
          .error(reaction.place, fmt::format("the falloff reaction '{}' lacks '(+M)'", reaction.equation))
          .withHint("write '(+M)' on both sides of the equation");
      return false;
    }
    if (inParentheses && (form == Form::Arrhenius || form == Form::ThreeBody)) {
      diagnostics
          .error(reaction.place,
                 fmt::format("'{}' has a '(+M)' and is no falloff reaction", reaction.equation))
          .withHint("add 'type: falloff', or write '+ M'");
      return false;
    }
    return true;
  }

  // Orders and colliders

  std::optional<unsigned> find(const YamlNode &name, std::string_view what) {
    std::optional<unsigned> found = species.find(name.text());
    if (!found)
      diagnostics
          .error(name.place(),
                 fmt::format("{} is given for species '{}', which is not declared", what, name.text()))
          .withHint(species.hintFor(name.text()));
    return found;
  }

  std::optional<std::vector<Term>> readOrders() {
    if (!node["orders"].exists())
      return std::nullopt;
    std::vector<Term> terms = reaction.reactants;
    for (const auto &[name, number] : node["orders"].pairs()) {
      std::optional<unsigned> which = find(name, "an order");
      std::optional<double> order = values.number(number, "an order");
      if (!which || !order)
        continue;
      auto term = std::ranges::find(terms, *which, &Term::species);
      if (term == terms.end())
        terms.push_back({*which, *order});
      else
        term->value = *order;
    }
    std::erase_if(terms, [](const Term &term) { return term.value == 0; });
    return terms;
  }

  /// A species on both sides, though Cantera calls it a collider, is a reactant here: the rate is the same.
  void setCollider(Form form) {
    bool dependsOnPressureItself = form == Form::Plog || form == Form::Chebyshev;
    YamlNode efficiencies = node["efficiencies"];
    if (!mark || dependsOnPressureItself) {
      if (efficiencies.exists())
        complainOfEfficiencies(efficiencies, dependsOnPressureItself);
      return;
    }
    Collider collider{.named = mark->species};
    if (YamlNode byDefault = node["default-efficiency"]; byDefault.exists())
      collider.defaultEfficiency = values.number(byDefault, "the default efficiency").value_or(1);
    for (const auto &[name, number] : efficiencies.pairs()) {
      if (skipsThirdBodies && !species.find(name.text()))
        continue;
      std::optional<unsigned> which = find(name, "an efficiency");
      std::optional<double> value = values.number(number, "an efficiency");
      if (which && value && *value != collider.defaultEfficiency)
        collider.efficiencies.push_back({*which, *value});
    }
    if (collider.named && !collider.efficiencies.empty())
      diagnostics.error(efficiencies.place(), "efficiencies need the third body 'M', not a species");
    reaction.collider = std::move(collider);
  }

  void complainOfEfficiencies(const YamlNode &efficiencies, bool dependsOnPressureItself) {
    if (dependsOnPressureItself)
      diagnostics.warning(efficiencies.place(),
                          "efficiencies have no effect on a rate that depends on pressure itself");
    else
      diagnostics.error(efficiencies.place(), "efficiencies are given for a reaction without a third body")
          .withHint("write '+ M' or '(+M)' on both sides of the equation");
  }

  // Rates

  double order() const {
    double total = 0;
    for (const Term &term : reaction.forwardOrders ? *reaction.forwardOrders : reaction.reactants)
      total += term.value;
    return total;
  }

  void setRate(Form form) {
    bool hasThirdBody = reaction.collider && form == Form::ThreeBody;
    switch (form) {
    case Form::Arrhenius:
    case Form::ThreeBody:
      reaction.rate = arrheniusOf("rate-constant", order() + (hasThirdBody ? 1 : 0));
      return;
    case Form::Falloff: setFalloff(order() + 1, order(), false); return;
    case Form::ChemicallyActivated: setFalloff(order(), order() - 1, true); return;
    case Form::Plog: setPlog(); return;
    case Form::Chebyshev: setChebyshev(); return;
    }
  }

  Arrhenius arrheniusOf(std::string_view key, double rateOrder) {
    YamlNode given = node[key];
    if (given.exists())
      return arrhenius(given, rateOrder);
    diagnostics.error(reaction.place, fmt::format("reaction '{}' lacks '{}'", reaction.equation, key));
    return {};
  }

  /// `{A: 1.0e+12, b: 0.0, Ea: 2000.0}` or `[1.0e+12, 0.0, 2000.0]`.
  Arrhenius arrhenius(const YamlNode &given, double rateOrder) {
    std::vector<YamlNode> list = given.items();
    bool isList = list.size() == 3;
    YamlNode a = isList ? list[0] : given["A"], b = isList ? list[1] : given["b"],
             e = isList ? list[2] : given["Ea"];
    if (!a.exists() || !b.exists() || !e.exists()) {
      diagnostics
          .error(given.place(), fmt::format("a rate constant of '{}' needs A, b and Ea", reaction.equation))
          .withHint("such as '{A: 1.0e+12, b: 0.5, Ea: 2000.0}'");
      return {};
    }
    auto factor = values.quantity(a, rateDimension(rateOrder), units.rateFactor(rateOrder), "A");
    auto exponent = values.number(b, "b");
    auto temperature = values.activationTemperature(e, units);
    return {factor.value_or(0), exponent.value_or(0), temperature.value_or(0)};
  }

  void setFalloff(double lowOrder, double highOrder, bool isChemicallyActivated) {
    Falloff rate;
    rate.chemicallyActivated = isChemicallyActivated;
    rate.low = arrheniusOf("low-P-rate-constant", lowOrder);
    rate.high = arrheniusOf("high-P-rate-constant", highOrder);
    YamlNode troe = node["Troe"], sri = node["SRI"], tsang = node["Tsang"];
    if (tsang.exists())
      diagnostics.refuse(tsang.place(), "Tsang's falloff shape is not supported");
    if (troe.exists() && sri.exists())
      diagnostics.error(sri.place(), "a reaction cannot have both Troe and SRI")
          .note(troe.place(), "Troe is given here");
    if (troe.exists())
      rate.shape = troeShape(troe);
    else if (sri.exists())
      rate.shape = sriShape(sri);
    reaction.rate = rate;
  }

  Troe troeShape(const YamlNode &given) {
    auto temperature = [&](std::string_view key) {
      YamlNode value = given[key];
      if (!value.exists())
        diagnostics.error(given.place(), fmt::format("Troe of '{}' lacks '{}'", reaction.equation, key));
      return value.exists() ? values.quantity(value, temperatureDimension, 1, key).value_or(0) : 0;
    };
    Troe shape{values.number(given, "A", "Troe").value_or(0), temperature("T3"), temperature("T1"), {}};
    if (given["T2"].exists())
      shape.t2 = temperature("T2");
    return shape;
  }

  Sri sriShape(const YamlNode &given) {
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

  double pressureOf(const YamlNode &given) {
    std::optional<double> pressure = values.quantity(given, pressureDimension, units.pressure, "a pressure");
    if (pressure && *pressure <= 0)
      diagnostics.error(given.place(), "a pressure must be positive");
    return pressure.value_or(1);
  }

  void setPlog() {
    std::vector<Plog::Point> points;
    std::vector<YamlNode> entries = node["rate-constants"].items();
    if (entries.empty())
      diagnostics.error(reaction.place,
                        fmt::format("reaction '{}' lacks 'rate-constants'", reaction.equation));
    for (const YamlNode &entry : entries) {
      if (!entry["P"].exists()) {
        diagnostics.error(entry.place(),
                          "a rate constant of a pressure-dependent reaction needs P, A, b and Ea");
        continue;
      }
      double pressure = pressureOf(entry["P"]);
      auto point = std::ranges::find(points, pressure, &Plog::Point::pressure);
      if (point == points.end())
        point = points.insert(points.end(), {pressure, {}});
      point->rates.push_back(arrhenius(entry, order()));
    }
    std::ranges::sort(points, {}, &Plog::Point::pressure);
    reaction.rate = Plog{std::move(points)};
  }

  void setChebyshev() {
    Chebyshev rate;
    std::vector<YamlNode> temperatures = node["temperature-range"].items(),
                          pressures = node["pressure-range"].items();
    if (temperatures.size() != 2 || pressures.size() != 2) {
      diagnostics
          .error(reaction.place,
                 fmt::format("the Chebyshev rate of '{}' needs its ranges", reaction.equation))
          .withHint("'temperature-range: [300.0, 2000.0]' and 'pressure-range: [0.01 atm, 100 atm]'");
      return;
    }
    rate.lowTemperature =
        values.quantity(temperatures[0], temperatureDimension, 1, "a temperature").value_or(1);
    rate.highTemperature =
        values.quantity(temperatures[1], temperatureDimension, 1, "a temperature").value_or(2);
    rate.lowPressure = pressureOf(pressures[0]);
    rate.highPressure = pressureOf(pressures[1]);
    if (rate.lowTemperature <= 0 || rate.lowTemperature >= rate.highTemperature)
      diagnostics.error(node["temperature-range"].place(),
                        "a range takes a lower and a higher positive number");
    if (rate.lowPressure >= rate.highPressure)
      diagnostics.error(node["pressure-range"].place(), "a range takes a lower and a higher positive number");
    if (setCoefficients(rate))
      reaction.rate = std::move(rate);
  }

  bool setCoefficients(Chebyshev &rate) {
    std::vector<YamlNode> rows = node["data"].items();
    rate.temperatures = unsigned(rows.size());
    rate.pressures = rows.empty() ? 0 : unsigned(rows[0].items().size());
    for (const YamlNode &row : rows)
      for (const YamlNode &item : row.items())
        rate.coefficients.push_back(values.number(item, "a coefficient").value_or(0));
    if (rate.coefficients.empty() || rate.coefficients.size() != size_t(rate.temperatures) * rate.pressures) {
      diagnostics.error(node["data"].exists() ? node["data"].place() : reaction.place,
                        fmt::format("the rows of the Chebyshev rate of '{}' must be there and of one length",
                                    reaction.equation));
      return false;
    }
    rate.coefficients[0] += std::log10(units.rateFactor(order()));
    return true;
  }

  const YamlNode &node;
  const NameTable &species;
  bool skipsThirdBodies;
  YamlUnits units;
  const YamlValues &values;
  Diagnostics &diagnostics;
  Reaction reaction;
  std::optional<ColliderMark> mark;
};

} // namespace

std::optional<Reaction> readYamlReaction(const YamlNode &node, const NameTable &species,
                                         bool skipsThirdBodies, const YamlUnits &units,
                                         const YamlValues &values) {
  return ReactionReader(node, species, skipsThirdBodies, units, values).read();
}

} // namespace heddle::chem
