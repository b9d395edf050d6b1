// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a Cantera YAML file may hold, its units, and the messages where something in it is wrong.
#include "Shared.h"
#include "chem/CheckMechanism.h"
#include "chem/Constants.h"
#include "chem/Yaml.h"

#include <fmt/format.h>

#include <cmath>

namespace heddle::chem {
namespace {

std::string thermo(std::string_view extra = "") {
  return fmt::format("thermo: {{model: NASA7, temperature-ranges: [200.0, 1000.0, 3500.0], {}data: "
                     "[[4, 0, 0, 0, 0, 6, 7], [4, 0, 0, 0, 0, 6.001, 7]]}}",
                     extra);
}

/// A, B and D are isomers, C is two of them; NO is a name like any other.
std::string species() {
  std::string text = "species:\n";
  for (auto [name, count] : {std::pair{"A", 1}, {"B", 1}, {"C", 2}, {"D", 1}, {"NO", 1}})
    text += fmt::format("- name: {}\n  composition: {{C: {}}}\n  {}\n", name, count, thermo());
  return text;
}

const std::string header =
    "units: {length: cm, time: s, quantity: mol, activation-energy: cal/mol}\n"
    "phases:\n- name: gas\n  elements: [C]\n  species: [A, B, C, D, NO]\n  kinetics: gas\n";

std::string withReactions(std::string_view reactions) {
  return fmt::format("{}{}reactions:\n{}", header, species(), reactions);
}

Mechanism readGoodYaml(const std::string &text) {
  Diagnostics diagnostics;
  std::optional<Mechanism> mechanism = readYaml(SourceText{"a.yaml", text}, diagnostics);
  EXPECT_TRUE(mechanism && diagnostics.empty()) << test::printed(diagnostics) << text;
  return mechanism.value_or(Mechanism{});
}

Reaction readOne(std::string_view reaction) {
  Mechanism m = readGoodYaml(withReactions(reaction));
  EXPECT_EQ(m.reactions.size(), 1u);
  return m.reactions.empty() ? Reaction{} : m.reactions[0];
}

std::string complaintsAbout(const std::string &text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(readYaml(SourceText{"a.yaml", text}, diagnostics)) << text;
  EXPECT_FALSE(diagnostics.has(Severity::InternalError));
  return test::printed(diagnostics);
}

/// Messages about a file that is read nevertheless.
std::string warningsOf(const std::string &text) {
  Diagnostics diagnostics;
  EXPECT_TRUE(readYaml(SourceText{"a.yaml", text}, diagnostics)) << test::printed(diagnostics) << text;
  return test::printed(diagnostics);
}

void expectWarned(const std::string &text, std::string_view part) {
  const std::string said = warningsOf(text);
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

void expectSaid(const std::string &text, std::string_view part) {
  std::string said = complaintsAbout(text);
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

void expectYamlArrhenius(const Rate &rate, double a, double b, double temperature) {
  EXPECT_DOUBLE_EQ(std::get<Arrhenius>(rate).a, a);
  EXPECT_DOUBLE_EQ(std::get<Arrhenius>(rate).b, b);
  EXPECT_DOUBLE_EQ(std::get<Arrhenius>(rate).activationTemperature, temperature);
}

constexpr double caloriesInKelvins = 4184 / gasConstant;

// Species

TEST(YamlForms, NoIsAName) {
  Mechanism m = readGoodYaml(header + species() + "reactions: []\n");
  EXPECT_EQ(m.species[4].name, "NO");
}

TEST(YamlForms, ThermoMayHaveOneRangeAndAnotherReferencePressure) {
  std::string text = "species:\n- name: A\n  composition: {H: 2}\n  thermo: {model: NASA7, "
                     "temperature-ranges: [300, 2000 K], "
                     "reference-pressure: 1 bar, data: [[1, 2, 3, 4, 5, 6, 7]]}\n";
  Mechanism m = readGoodYaml(text);
  const auto &ranges = std::get<std::vector<Nasa7Range>>(m.species[0].thermo);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].high, 2000);
  EXPECT_DOUBLE_EQ(ranges[0].a[6], 7 + std::log(1e5 / 101325)) << "entropy at 1 atm";
}

TEST(YamlForms, ConstantCp) {
  Mechanism m = readGoodYaml(
      "units: {quantity: mol, energy: cal}\nspecies:\n- name: A\n  composition: {H: 2}\n"
      "  thermo: {model: constant-cp, T0: 300 K, h0: 9.22 kcal/mol, s0: -3.02, cp0: 5.95 J/kmol/K}\n");
  const auto &data = std::get<ConstantCp>(m.species[0].thermo);
  EXPECT_EQ(data.temperature, 300);
  EXPECT_DOUBLE_EQ(data.enthalpy, 9.22 * 4184e3);
  EXPECT_DOUBLE_EQ(data.entropy, -3.02 * 4184);
  EXPECT_DOUBLE_EQ(data.cp, 5.95);
}

TEST(YamlForms, TransportDataAreInSi) {
  Mechanism m = readGoodYaml(
      "species:\n- name: A\n  composition: {H: 2}\n  " + thermo() +
      "\n  transport: {model: gas, geometry: linear, well-depth: 38.0, diameter: 2.92, dipole: 1.5,\n"
      "    polarizability: 0.79, rotational-relaxation: 280.0, acentric-factor: 0.1, note: n}\n");
  const Transport &a = *m.species[0].transport;
  EXPECT_EQ(a.geometry, Geometry::Linear);
  EXPECT_DOUBLE_EQ(a.diameter, 2.92e-10);
  EXPECT_DOUBLE_EQ(a.dipole, 1.5 * debye);
  EXPECT_DOUBLE_EQ(a.polarizability, 0.79e-30);
  EXPECT_EQ(a.rotationalRelaxation, 280);
  EXPECT_EQ(a.acentricFactor, 0.1);
}

TEST(YamlForms, ElementsMayHaveWeightsAndElectronsMakeCharge) {
  Mechanism m = readGoodYaml("elements:\n- symbol: Ci\n  atomic-weight: 13.003\nspecies:\n- name: A+\n  "
                             "composition: {Ci: 2, E: -1}\n  " +
                             thermo() + "\n");
  EXPECT_DOUBLE_EQ(m.species[0].weight, 26.006 - 5.48579909065e-4);
  EXPECT_EQ(m.species[0].charge, 1);
}

// Units

TEST(YamlForms, NumbersWithoutUnitsAreSiWhereNothingIsStated) {
  Mechanism m = readGoodYaml(
      "phases:\n- {name: g, species: all, kinetics: gas}\n" + species() +
      "reactions:\n- {equation: A + B <=> C, rate-constant: {A: 2.0, b: 0.5, Ea: 8314.46261815324}}\n");
  expectYamlArrhenius(m.reactions[0].rate, 2, 0.5, 1);
}

TEST(YamlForms, UnitsOfTheDocumentOfASectionAndOfAReaction) {
  Mechanism m = readGoodYaml(
      withReactions("- units: {activation-energy: K}\n"
                    "- equation: A + B <=> C\n  rate-constant: {A: 1e12, b: 0, Ea: 100}\n"
                    "- equation: A + D <=> C\n  units: {quantity: molec, length: m}\n"
                    "  rate-constant: {A: 1e-18, b: 0, Ea: 100}\n"
                    "- equation: B + D <=> C\n  rate-constant: [1 m^3/mol/min, 0, 2 kcal/mol]\n"));
  expectYamlArrhenius(m.reactions[0].rate, 1e9, 0, 100);
  expectYamlArrhenius(m.reactions[1].rate, 1e-18 * avogadro, 0, 100);
  expectYamlArrhenius(m.reactions[2].rate, 1e3 / 60, 0, 2000 * caloriesInKelvins);
}

TEST(YamlForms, ActivationEnergyMayBeForAParticle) {
  Reaction r = readOne("- equation: A <=> B\n  rate-constant: {A: 1, b: 0, Ea: 1 eV}\n");
  EXPECT_NEAR(std::get<Arrhenius>(r.rate).activationTemperature, 11604.518121550082, 1e-8);
}

TEST(YamlForms, UnitOfTheWrongKindIsAnError) {
  expectSaid(withReactions("- equation: A + B <=> C\n  rate-constant: {A: 1.0 cm^6/mol^2/s, b: 0, Ea: 0}\n"),
             "error: '1.0 cm^6/mol^2/s' has the wrong unit for A\n");
  expectSaid(withReactions("- equation: A + B <=> C\n  rate-constant: {A: 1, b: 0, Ea: 3 m}\n"),
             "error: '3 m' has the wrong unit for an activation energy\n");
  const std::string unknown =
      withReactions("- equation: A <=> B\n  type: pressure-dependent-Arrhenius\n  rate-constants:\n"
                    "  - {P: 14 psi, A: 1, b: 0, Ea: 0}\n");
  expectSaid(unknown, "error: 'psi' is no unit that is known\n");
  expectSaid(unknown, "\nhint: known are products and quotients of kg, g, ");
  expectSaid(unknown, "mbar, atm, torr\n");
  expectSaid("units: {length: furlong}\n" + species(),
             "a.yaml:1:17: error: 'furlong' is no unit of length\n");
  expectSaid("units: {speed: m/s}\n" + species(),
             "a.yaml:1:9: error: 'speed' is nothing that has a unit here\n");
}

// Reactions

TEST(YamlForms, ThirdBodyWithAndWithoutItsType) {
  for (const char *type : {"", "  type: three-body\n"}) {
    Reaction r =
        readOne(fmt::format("- equation: A + B + M => C + M\n{}  rate-constant: {{A: 1e18, b: 0, Ea: 0}}\n"
                            "  efficiencies: {{A: 2.5, B: 1.0, NO: 0}}\n",
                            type));
    EXPECT_DOUBLE_EQ(std::get<Arrhenius>(r.rate).a, 1e12);
    EXPECT_EQ(r.collider->efficiencies.size(), 2u);
    EXPECT_EQ(r.reverse, Reverse::None);
  }
}

/// Cantera writes such reactions with the efficiency of their collider.
TEST(YamlForms, EfficienciesMayRepeatTheExplicitCollider) {
  const auto with = [](std::string_view rest) {
    return fmt::format("- equation: A + B + D <=> C + D\n  rate-constant: {{A: 1e18, b: 0, Ea: 0}}\n{}",
                       rest);
  };
  for (const char *type : {"", "  type: three-body\n"}) {
    const Reaction r = readOne(with(fmt::format("{}  efficiencies: {{D: 1.0}}\n", type)));
    EXPECT_FALSE(r.collider);
    EXPECT_EQ(r.reactants.size(), 3u);
    EXPECT_DOUBLE_EQ(std::get<Arrhenius>(r.rate).a, 1e12);
  }
  readOne(with("  type: three-body\n  efficiencies: {D: 1.0}\n  default-efficiency: 0\n"));
  const std::string isCollider = "\nhint: remove 'efficiencies': 'D' is the collider\n";
  for (const char *others : {"{A: 1.0}", "{D: 1.0, A: 2.0}", "{NONE: 1.0}"}) {
    const std::string text =
        withReactions(with(fmt::format("  type: three-body\n  efficiencies: {}\n", others)));
    expectSaid(text, "error: efficiencies of other species are given for a reaction without 'M'\n");
    expectSaid(text, isCollider);
  }
  expectSaid(withReactions(with("  efficiencies: {D: 2.5}\n")),
             "\nhint: multiply A by 2.5 and remove 'efficiencies'\n");
  expectSaid(withReactions(with("  type: three-body\n  default-efficiency: 1\n")),
             "error: the default efficiency of a reaction without 'M' can only be 0\n");
  expectSaid(withReactions(with("  type: elementary\n  efficiencies: {D: 1.0}\n")),
             "error: efficiencies are given for a reaction without a third body\n");
  expectSaid(withReactions("- equation: A <=> B\n  type: three-body\n  rate-constant: {A: 1, b: 0, Ea: 0}\n"),
             "error: the three-body reaction 'A <=> B' has no third body\n");
}

TEST(YamlForms, DefaultEfficiencyCountsForTheOthers) {
  Reaction r =
      readOne("- equation: A + M <=> B + M\n  rate-constant: {A: 1, b: 0, Ea: 0}\n  default-efficiency: 0\n"
              "  efficiencies: {A: 1, B: 0}\n");
  EXPECT_EQ(r.collider->defaultEfficiency, 0);
  ASSERT_EQ(r.collider->efficiencies.size(), 1u);
  EXPECT_EQ(r.collider->efficiencies[0].value, 1);
}

TEST(YamlForms, FalloffAndChemicallyActivated) {
  std::string limits =
      "  low-P-rate-constant: {A: 1e18, b: 0, Ea: 0}\n  high-P-rate-constant: {A: 1e12, b: 0, Ea: 0}\n";
  Reaction falloff = readOne("- equation: A + B (+M) <=> C (+M)\n  type: falloff\n" + limits +
                             "  Troe: {A: 0.5, T3: 91 K, T1: 5836.0, T2: 8552.0}\n");
  EXPECT_DOUBLE_EQ(std::get<Falloff>(falloff.rate).low.a, 1e12);
  EXPECT_DOUBLE_EQ(std::get<Falloff>(falloff.rate).high.a, 1e9);
  EXPECT_EQ(std::get<Troe>(std::get<Falloff>(falloff.rate).shape).t2, 8552);
  Reaction activated = readOne("- equation: A + B (+NO) <=> C (+NO)\n  type: chemically-activated\n" +
                               limits + "  SRI: {A: 1.1, B: 700.0, C: 1234.0, D: 56.0, E: 0.7}\n");
  EXPECT_DOUBLE_EQ(std::get<Falloff>(activated.rate).low.a, 1e15);
  EXPECT_DOUBLE_EQ(std::get<Falloff>(activated.rate).high.a, 1e12);
  EXPECT_EQ(std::get<Sri>(std::get<Falloff>(activated.rate).shape).e, 0.7);
  EXPECT_EQ(activated.collider->named, 4u);
}

TEST(YamlForms, PlogAndChebyshev) {
  Reaction plog = readOne("- equation: A + B <=> C\n  type: pressure-dependent-Arrhenius\n  rate-constants:\n"
                          "  - {P: 10 atm, A: 1e12, b: 0, Ea: 0}\n  - {P: 1013.25, A: 2e12, b: 0, Ea: 0}\n"
                          "  - {P: 10 atm, A: -5e11, b: 0, Ea: 0}\n");
  ASSERT_EQ(std::get<Plog>(plog.rate).points.size(), 2u);
  EXPECT_EQ(std::get<Plog>(plog.rate).points[0].pressure, 1013.25);
  EXPECT_EQ(std::get<Plog>(plog.rate).points[1].rates.size(), 2u);
  Reaction chebyshev =
      readOne("- equation: A + B <=> C\n  type: Chebyshev\n  temperature-range: [300.0, 2000.0]\n"
              "  pressure-range: [0.01 atm, 100 atm]\n  data:\n  - [1.0, 0.1, 0.2]\n  - [2.0, 0.3, 0.4]\n");
  const auto &rate = std::get<Chebyshev>(chebyshev.rate);
  EXPECT_EQ(rate.pressures, 3u);
  EXPECT_NEAR(rate.coefficients[0], -2, 1e-14);
}

TEST(YamlForms, OrdersAndFlags) {
  Reaction r =
      readOne("- equation: A + B => C\n  rate-constant: {A: -1e12, b: 0, Ea: 0}\n  negative-A: true\n"
              "  orders: {A: 1.5, B: 0, NO: -0.5}\n  nonreactant-orders: true\n  negative-orders: true\n");
  ASSERT_EQ(r.forwardOrders->size(), 2u);
  EXPECT_DOUBLE_EQ(std::get<Arrhenius>(r.rate).a, -1e12);
}

TEST(YamlForms, OrdersFollowCanterasRules) {
  const auto with = [](std::string_view equation, std::string_view rest) {
    return withReactions(
        fmt::format("- equation: {}\n  rate-constant: {{A: 1, b: 0, Ea: 0}}\n  {}\n", equation, rest));
  };
  expectSaid(with("A <=> B", "orders: {A: 0.5}"),
             "error: orders are given for the reversible reaction 'A <=> B'\n");
  expectSaid(with("A => B", "orders: {A: -0.5}"), "error: the order of 'A' is negative\n");
  expectSaid(with("A => B", "orders: {A: -0.5}"), "\nhint: add 'negative-orders: true' if this is meant\n");
  expectSaid(with("A => B", "orders: {D: 0.5}"),
             "error: the order of 'D' is that of a species that is no reactant\n");
  readGoodYaml(with("A <=> B", "orders: {}"));
}

TEST(YamlForms, NegativeFactorsOfSingleReactionsAreStated) {
  const std::string reaction = "- equation: A <=> B\n  rate-constant: {A: -1, b: 0, Ea: 0}\n";
  expectWarned(withReactions(reaction), "warning: the factor A of reaction 'A <=> B' is negative");
  readGoodYaml(withReactions(reaction + "  negative-A: true\n"));
}

/// As Cantera's converter writes REV, and as authors write them: the file does not state which, and Cantera has two reactions.
TEST(YamlForms, AReactionAndItsReverseStayTwo) {
  Mechanism m = readGoodYaml(withReactions("- equation: A + B => C\n  rate-constant: {A: 1e12, b: 0, Ea: 0}\n"
                                           "- equation: C => A + B\n  rate-constant: {A: 5.0, b: 0, Ea: 0}\n"
                                           "- equation: D => B\n  rate-constant: {A: 1.0, b: 0, Ea: 0}\n"));
  ASSERT_EQ(m.reactions.size(), 3u);
  for (const Reaction &each : m.reactions)
    EXPECT_EQ(each.reverse, Reverse::None);
  EXPECT_EQ(m.reactions[1].equation, "C => A + B");
}

// Phases

TEST(YamlForms, PhaseTakesSpeciesAndReactionsFromItsSections) {
  std::string text =
      "phases:\n- name: gas\n  elements: [C]\n  species:\n  - species: [A, B]\n  - others: all\n  kinetics: "
      "gas\n"
      "  reactions:\n  - reactions: declared-species\n  - more\n  skip-undeclared-third-bodies: true\n" +
      species() + "others:\n- name: Z\n  composition: {C: 1}\n  " + thermo() +
      "\nreactions:\n- {equation: A <=> B, rate-constant: [1, 0, 0]}\n"
      "- {equation: A <=> D, rate-constant: [1, 0, 0]}\n"
      "more:\n- {equation: A + M <=> Z + M, rate-constant: [1, 0, 0], efficiencies: {C: 2, B: 3}}\n";
  Mechanism m = readGoodYaml(text);
  EXPECT_EQ(m.species.size(), 3u);
  ASSERT_EQ(m.reactions.size(), 2u);
  EXPECT_EQ(m.reactions[1].collider->efficiencies.size(), 1u);
}

TEST(YamlForms, SkipUndeclaredElementsLeavesOutSpeciesWithOthers) {
  const auto with = [](std::string_view phase) {
    return fmt::format(
        "phases:\n- name: gas\n  species: all\n  kinetics: gas\n{}{}- name: AR\n  composition: {{Ar: 1}}\n  "
        "{}\n- name: CN\n  composition: {{C: 1, N: 1}}\n  {}\nreactions:\n- {{equation: A <=> B, "
        "rate-constant: [1, 0, 0]}}\n- {{equation: B + AR <=> D + AR, rate-constant: [1, 0, 0]}}\n",
        phase, species(), thermo(), thermo());
  };
  const std::string skips = "  elements: [C]\n  skip-undeclared-elements: true\n";
  Mechanism m = readGoodYaml(with(skips + "  reactions: declared-species\n"));
  EXPECT_EQ(m.species.size(), 5u);
  EXPECT_EQ(m.elements.size(), 1u);
  EXPECT_EQ(m.reactions.size(), 1u);
  EXPECT_FALSE(m.find("AR"));
  // As in Cantera: which reactions are read is another setting.
  expectSaid(with(skips + "  reactions: all\n"), "species 'AR'");
  for (const char *does : {"", "  skip-undeclared-elements: false\n"})
    expectSaid(with(fmt::format("  elements: [C]\n{}", does)),
               "error: species 'AR' has element 'Ar', which the phase does not declare\n");
  // Without a list of elements, all are declared.
  EXPECT_EQ(readGoodYaml(with("  skip-undeclared-elements: true\n")).species.size(), 7u);
  expectSaid(with("  elements: [N]\n  skip-undeclared-elements: true\n  reactions: none\n"),
             "error: there are no species\n");
}

TEST(YamlForms, SkipUndeclaredElementsHoldsForListedSpeciesToo) {
  const std::string text = "phases:\n- {name: gas, elements: [Ar], species: [A, AR], "
                           "skip-undeclared-elements: true, reactions: none}\n" +
                           species() + "- name: AR\n  composition: {Ar: 1}\n  " + thermo() + "\n";
  const Mechanism m = readGoodYaml(text);
  ASSERT_EQ(m.species.size(), 1u);
  EXPECT_EQ(m.species[0].name, "AR");
}

TEST(YamlForms, PhaseWithoutKineticsHasNoReactionsAndAWarning) {
  const std::string text = "phases:\n- {name: gas, species: all}\n" + species() +
                           "reactions:\n- {equation: nonsense}\n- {equation: nonsense}\n";
  expectWarned(
      text, "a.yaml:2:3: warning: the phase has no 'kinetics': the 2 reactions of the file are not read\n");
  Diagnostics diagnostics;
  EXPECT_TRUE(readYaml(SourceText{"a.yaml", text}, diagnostics)->reactions.empty());
}

TEST(YamlForms, PhasesThatAreMeantToHaveNoReactions) {
  for (const char *stated : {"reactions: none", "kinetics: none", "kinetics: gas, reactions: none"})
    EXPECT_TRUE(readGoodYaml(fmt::format("phases:\n- {{name: gas, species: all, {}}}\n{}reactions:\n- "
                                         "{{equation: nonsense}}\n",
                                         stated, species()))
                    .reactions.empty());
}

TEST(YamlForms, DeclaredSpeciesLeavesOutReactionsOfOthers) {
  const std::string phase =
      "phases:\n- {name: gas, species: [A, B, C], kinetics: gas, reactions: declared-species}\n";
  Mechanism m = readGoodYaml(phase + species() +
                             "reactions:\n- {equation: A <=> B, rate-constant: [1, 0, 0]}\n"
                             "- {equation: A <=> D, rate-constant: [1, 0, 0]}\n"
                             "- {equation: A + B (+XY) <=> C (+XY), type: falloff}\n"
                             "- {equation: A + HV => B, type: photolysis}\n"
                             "- {equation: A => B, orders: {D: 1}, rate-constant: [1, 0, 0]}\n");
  EXPECT_EQ(m.reactions.size(), 1u);
}

// What is wrong

TEST(YamlMalformed, WhatIsNoYaml) {
  expectSaid("species: [a\n- b: {", "error: this is not valid YAML");
  expectSaid("", "a.yaml: error: this file holds no mechanism");
  expectSaid("- a\n- b\n", "a.yaml: error: this file holds no mechanism");
  expectSaid("units: {}\n", "a.yaml: error: there are no species");
  expectSaid(std::string(20000, '['), "error: this is not valid YAML");
}

TEST(YamlMalformed, LocationsAreLinesAndColumns) {
  expectSaid("species:\n- name: A\n  composition: {Q: 1}\n  " + thermo() + "\n",
             "a.yaml:3:17: error: no atomic weight is known for element 'Q'\n"
             "    3 |   composition: {Q: 1}\n"
             "      |                 ^\n");
  expectSaid("species:\n- name: A\n  composition: {C: 1}\n  " + thermo() +
                 "\nreactions:\n- equation: A <=> '2 XY'\n",
             "6:");
  expectSaid("species:\n- name: A\n  composition: {C: 1}\n  " + thermo() +
                 "\nreactions:\n- equation: \"A => XY\"\n",
             "a.yaml:6:19: error: reaction uses species 'XY', which is not declared\n"
             "    6 | - equation: \"A => XY\"\n"
             "      |                   ^~\n");
}

TEST(YamlMalformed, LinesAreCountedAsYamlCountsThem) {
  expectSaid("# a\r b\r\n\r\nspecies: [\r\n- name: {\r\n", "a.yaml:4:1:");
  expectSaid("# a\r b\nspecies:\r\n- name: A\r\n  composition: {C: 1}\r\n",
             "a.yaml:3:9: error: there are no thermo data");
}

TEST(YamlMalformed, Species) {
  expectSaid("species:\n- composition: {C: 1}\n", "2:3: error: a species lacks its name");
  expectSaid("species:\n- name: A\n  " + thermo(), "2:9: error: species 'A' has no composition");
  expectSaid("species:\n- name: A\n  composition: {H: 0}\n  " + thermo(),
             "3:16: error: species 'A' has no atoms");
  expectSaid("species:\n- name: A\n  composition: {C: one}\n  " + thermo(),
             "3:20: error: 'one' is no number for the count of C");
  expectSaid("species:\n- name: A\n  composition: {C: 1}\n",
             "2:9: error: there are no thermo data for species 'A'");
  expectSaid("species:\n- name: A\n  composition: {C: 1}\n  thermo: {model: NASA9}\n",
             "4:19: error: thermo model 'NASA9' of species 'A' is not supported");
  expectSaid("species:\n- name: A\n  composition: {C: 1}\n  thermo: {model: NASA7, temperature-ranges: [1, "
             "2], data: [[1, 2]]}\n",
             "error: a range of the thermo data for 'A' has 2 coefficients, not 7");
  expectSaid("species:\n- name: A\n  composition: {C: 1}\n  thermo: {model: NASA7, temperature-ranges: [1, "
             "2], data: []}\n",
             "error: thermo data for 'A' have 2 temperatures for 0 ranges");
  expectSaid("species:\n- name: A\n  composition: {C: 1}\n  thermo: {model: NASA7, temperature-ranges: [5, "
             "2], data: "
             "[[1, 2, 3, 4, 5, 6, 7]]}\n",
             "error: the temperature range 5 to 2 K of 'A' is empty");
  expectSaid(header + species() + species().substr(9), "error: species 'A' is given again");
  expectSaid("species:\n- name: A\n  composition: {C: 1}\n  " + thermo() +
                 "\n  transport: {model: gas, geometry: round}\n",
             "5:37: error: 'round' is no geometry for 'A'");
  expectSaid("phases:\n- {name: g, species: [A, E9]}\n" + species(),
             "2:26: error: species 'E9' of the phase is not given");
  const std::string said =
      complaintsAbout("phases:\n- {name: g, species: [A, E9]}\nspecie" + species().substr(7));
  EXPECT_NE(said.find("2:23: error: the phase names species, but the file has no section 'species'"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("hint: did you mean 'specie'?"), std::string::npos) << said;
  EXPECT_EQ(said.find("error"), said.rfind("error")) << said;
}

TEST(YamlMalformed, AnEquationOfDeclaredSpeciesIsNotLeftOut) {
  const auto said = [](std::string_view equation) {
    return complaintsAbout(
        fmt::format("phases:\n- {{name: g, species: all, kinetics: gas, reactions: declared-species}}\n"
                    "{}reactions:\n- {{equation: {}, rate-constant: [1, 0, 0]}}\n",
                    species(), equation));
  };
  EXPECT_NE(said("A + B <> C").find("'A + B <> C' is no equation: it has no arrow"), std::string::npos);
  EXPECT_NE(said("A + B + M <=> C").find("the third bodies differ"), std::string::npos);
  EXPECT_NE(said("A B <=> C").find("'A B'"), std::string::npos);
  EXPECT_NE(said("A + + B <=> C").find("a species is missing here"), std::string::npos);
  EXPECT_NE(said("A + B <==> C").find("error"), std::string::npos);
  EXPECT_NE(said("[A]").find("a reaction lacks its equation"), std::string::npos);
}

TEST(YamlMalformed, SectionsThatAreNotThere) {
  const auto phase = [](std::string_view rest) {
    return fmt::format("phases:\n- name: g\n  kinetics: gas\n  {}\n{}reactions:\n- {{equation: A <=> B, "
                       "rate-constant: [1, 0, 0]}}\n",
                       rest, species());
  };
  expectSaid(phase("reactions: [Reactions]"), "a.yaml:4:15: error: the file has no section 'Reactions'\n"
                                              "    4 |   reactions: [Reactions]\n"
                                              "      |               ^~~~~~~~~\n"
                                              "hint: did you mean 'reactions'?\n");
  expectSaid(phase("reactions: [reactions: all, other: declared-species]"),
             "error: the file has no section 'other'");
  expectSaid(phase("reactions: [phases: all, name: all]"), "error: the file has no section 'name'");
  expectSaid(phase("reactions: declared_species"),
             "a.yaml:4:14: error: 'declared_species' does not state which "
             "reactions are read\n");
  expectSaid(phase("reactions: [reactions: some]"), "error: 'some' does not state which reactions are read");
  const std::string said = complaintsAbout(phase("species: [{nonesuch: all}]"));
  EXPECT_NE(said.find("a.yaml:4:14: error: the file has no section 'nonesuch'"), std::string::npos) << said;
  EXPECT_EQ(said.find("error"), said.rfind("error")) << said;
  expectWarned(header + species() + "reacions:\n- {equation: A <=> B, rate-constant: [1, 0, 0]}\n",
               "a.yaml:6:13: warning: the phase has kinetics, but the file has no section 'reactions'\n");
}

TEST(YamlMalformed, AKeyThatIsThereTwice) {
  expectSaid(withReactions("- equation: A <=> B\n  rate-constant: {A: 1, b: 0, Ea: 0}\n  rate-constant: {A: "
                           "2, b: 0, Ea: 0}\n"),
             ":3: error: key 'rate-constant' is there twice\n");
  expectSaid(
      withReactions(
          "- equation: A + M <=> B + M\n  rate-constant: [1, 0, 0]\n  efficiencies: {A: 1, B: 2, A: 3}\n"),
      "error: key 'A' is there twice\n");
  expectSaid("units: {length: cm}\n" + header + species(), "a.yaml:2:1: error: key 'units' is there twice\n");
}

TEST(YamlKeys, ThoseThatAreNotKnownAreWarnings) {
  const std::string rate = "\n  rate-constant: {A: 1, b: 0, Ea: 0}\n";
  expectWarned(withReactions("- equation: A + M <=> B + M\n  default-efficency: 0.5" + rate),
               ":3: warning: a three-body reaction has no key 'default-efficency'; it is ignored\n");
  expectWarned(withReactions("- equation: A + M <=> B + M\n  default-efficency: 0.5" + rate),
               "hint: did you mean 'default-efficiency'?\n");
  expectWarned(withReactions("- equation: A <=> B\n  Troe: {A: 1}" + rate +
                             "- equation: A <=> D\n  Troe: {A: 1}" + rate),
               "warning: an elementary reaction has no key 'Troe'; it is ignored (2 times)\n");
  expectWarned(withReactions("- equation: A <=> B\n  rate-constant: {A: 1, b: 0, Ea: 0, E: 5}\n"),
               "warning: a rate constant has no key 'E'; it is ignored\n");
  expectWarned("phases:\n- {name: g, specis: [A], kinetics: none}\n" + species(),
               "a.yaml:2:13: warning: a phase has no key 'specis'; it is ignored\n");
  expectWarned("species:\n- name: A\n  composition: {C: 1}\n  transprot: {model: gas}\n  " +
                   thermo("refrence-pressure: 1 bar, "),
               "warning: NASA7 data have no key 'refrence-pressure'; it is ignored\n");
  expectWarned("species:\n- name: A\n  composition: {C: 1}\n  transprot: {model: gas}\n  " + thermo(),
               "a.yaml:4:3: warning: a species has no key 'transprot'; it is ignored\n");
  expectWarned(
      "species:\n- name: A\n  composition: {C: 2}\n  " + thermo() +
          "\n  transport: {model: gas, geometry: linear, well-depth: 38.0, diameter: 2.92, dipol: 1.5}\n",
      "warning: transport data have no key 'dipol'; it is ignored\n");
}

TEST(YamlKeys, ThoseOfTheFormatAreSilent) {
  const std::string text =
      "description: d\ngenerator: g\nphases:\n- name: g\n  thermo: ideal-gas\n  species: all\n  kinetics: "
      "gas\n"
      "  transport: mixture-averaged\n  state: {T: 300, P: 1 atm}\n  skip-undeclared-elements: false\n"
      "  explicit-third-body-duplicates: warn\n  note: n\n"
      "elements:\n- {symbol: Ci, atomic-weight: 13.003, atomic-number: 6, entropy298: 1}\n"
      "species:\n- name: A\n  composition: {Ci: 2}\n  " +
      thermo("note: n, ") +
      "\n  critical-parameters: {critical-temperature: 30}\n  equation-of-state: {model: ideal-gas}\n  note: "
      "x\n"
      "- name: B\n  composition: {Ci: 2}\n  " +
      thermo() +
      "\n  sites: 1\n"
      "reactions:\n- equation: A <=> B\n  id: r1\n  note: n\n  reference: r\n  duplicate: false\n"
      "  negative-A: false\n  rate-constant: {A: 1, b: 0, Ea: 0}\n";
  readGoodYaml(text);
}

TEST(YamlKeys, NumbersNeedValues) {
  expectSaid(withReactions("- equation: A <=> B\n  rate-constant: {A: 3.547e+15, b: -0.406, Ea: 16,599}\n"),
             "error: key '599' of a rate constant has no value\n");
  expectSaid(withReactions("- equation: A <=> B\n  rate-constant: {A: 3.547e+15, b: -0.406, Ea: 16,599}\n"),
             "hint: a comma separates keys: numbers take a decimal point\n");
  expectSaid(
      "species:\n- name: A\n  composition: {C: 2}\n  " + thermo() +
          "\n  transport: {model: gas, geometry: linear, well-depth: 38.0, diameter: 2.92, dipole: }\n",
      "error: key 'dipole' of transport data has no value\n");
}

TEST(YamlMalformed, PhasesThatAreNotSupported) {
  expectSaid("phases:\n- {name: g, explicit-third-body-duplicates: modify-efficiency}\n" + species(),
             "error: 'modify-efficiency' is not supported");
  expectSaid("phases:\n- {name: g, thermo: pure-fluid, species: all}\n" + species(),
             "2:21: error: a phase that is 'pure-fluid' is not supported");
  expectSaid("phases:\n- name: g\n  species:\n  - gri30.yaml/species: [H2]\n  - species: all\n" + species(),
             "4:5: error: 'gri30.yaml/species' is of another file");
}

TEST(YamlMalformed, KineticsThatAreNotThoseOfAGas) {
  const auto with = [](std::string_view kinetics) {
    return fmt::format(
        "phases:\n- {{name: g, species: all, kinetics: {}}}\n{}reactions:\n- {{equation: A <=> B, "
        "rate-constant: [1, 0, 0]}}\n",
        kinetics, species());
  };
  expectSaid(with("surface"), "a.yaml:2:37: error: kinetics 'surface' are not supported\n");
  expectSaid(with("surface"), "\nhint: 'gas' and 'none' are\n");
  expectSaid(with("gaz"), "error: kinetics 'gaz' are not supported\n");
  expectSaid(with("[gas]"), "error: 'kinetics' of a phase is one name\n");
  // Cantera's other names of the same.
  for (const char *same : {"gas", "Gas", "bulk"})
    EXPECT_EQ(readGoodYaml(with(same)).reactions.size(), 1u) << same;
  for (const char *same : {"none", "None"})
    EXPECT_TRUE(readGoodYaml(with(same)).reactions.empty()) << same;
}

TEST(YamlTransportModel, AnotherThanMixtureAveragedIsRefusedWhereTransportIsNeeded) {
  const auto said = [](std::string_view model, void (*check)(const Mechanism &, Diagnostics &)) {
    const Mechanism m = readGoodYaml(
        fmt::format("phases:\n- {{name: g, species: all, transport: {}}}\n{}", model, species()));
    Diagnostics diagnostics;
    check(m, diagnostics);
    return test::printed(diagnostics);
  };
  for (const char *model : {"multicomponent", "ionized-gas", "high-pressure", "unity-Lewis-number", "foo"}) {
    const std::string text = fmt::format("the transport model '{}' is not supported", model);
    EXPECT_NE(said(model, checkTransport).find("a.yaml:2:38: error: " + text + "\n"), std::string::npos);
    const std::string warned = said(model, warnOfTransportModel);
    EXPECT_NE(warned.find("a.yaml:2:38: warning: " + text + ": transport, if"), std::string::npos) << warned;
  }
  for (const char *model :
       {"mixture-averaged", "Mix", "mixture-averaged-CK", "CK_Mix", "none", "None", "~"}) {
    EXPECT_EQ(said(model, warnOfTransportModel), "") << model;
    EXPECT_EQ(said(model, checkTransport).find("transport model"), std::string::npos) << model;
  }
  expectSaid("phases:\n- {name: g, species: all, transport: [Mix]}\n" + species(),
             "error: 'transport' of a phase is one name\n");
}

TEST(YamlMalformed, Reactions) {
  std::string rate = "\n  rate-constant: {A: 1, b: 0, Ea: 0}\n";
  expectSaid(withReactions("- rate-constant: {A: 1, b: 0, Ea: 0}\n"), "error: a reaction lacks its equation");
  expectSaid(withReactions("- equation: A <=> C" + rate),
             "error: reaction 'A <=> C' is not balanced: 1 C to the left, 2 to the right");
  expectSaid(withReactions("- equation: A <=> B" + rate + "- equation: B => A" + rate),
             "error: reaction 'B => A' is there twice and not marked as a duplicate");
  expectSaid(withReactions("- equation: A <=> B\n"), "error: reaction 'A <=> B' lacks 'rate-constant'");
  expectSaid(withReactions("- equation: A <=> B\n  rate-constant: {A: 1, b: 0}\n"),
             "error: a rate constant of 'A <=> B' needs A, b and Ea");
  expectSaid(withReactions("- equation: A <=> B\n  type: Blowers-Masel" + rate),
             "error: reactions of type 'Blowers-Masel' are not supported");
  expectSaid(withReactions("- equation: A (+M) <=> B (+M)" + rate),
             "error: 'A (+M) <=> B (+M)' has a '(+M)' and is no falloff reaction");
  expectSaid(withReactions("- equation: A <=> B\n  type: falloff" + rate),
             "error: the falloff reaction 'A <=> B' lacks '(+M)'");
  expectSaid(withReactions("- equation: A + M <=> B + M\n  efficiencies: {Q: 1}" + rate),
             "error: an efficiency is given for species 'Q', which is not declared");
  expectSaid(withReactions("- equation: A <=> B\n  efficiencies: {A: 2}" + rate),
             "error: efficiencies are given for a reaction without a third body");
  expectSaid(withReactions("- equation: A <=> B\n  duplicate: maybe" + rate),
             "error: 'maybe' is neither true nor false");
  expectSaid(withReactions("- equation: A <=> B\n  type: pressure-dependent-Arrhenius\n"),
             "lacks 'rate-constants'");
  expectSaid(withReactions("- equation: A <=> B\n  type: Chebyshev\n"),
             "error: the Chebyshev rate of 'A <=> B' needs its ranges");
  expectSaid(withReactions("- equation: A + HV <=> B" + rate),
             "error: reactions with a photon ('HV') are not supported");
}

TEST(YamlMalformed, AllErrorsAreReportedInOneGo) {
  std::string said =
      complaintsAbout(withReactions("- equation: A <=> Q\n  rate-constant: [1, 0, 0]\n"
                                    "- equation: A <=> B\n  rate-constant: {A: x, b: y, Ea: z}\n"
                                    "- equation: A <=> C\n  rate-constant: [1, 0, 0]\n"));
  for (const char *part : {"species 'Q'", "'x' is no number for A", "'y' is no number for b",
                           "'z' is no number for an activation energy", "'A <=> C' is not balanced"})
    EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
}

} // namespace
} // namespace heddle::chem
