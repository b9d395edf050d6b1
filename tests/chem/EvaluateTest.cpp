// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reference.h"
#include "Shared.h"
#include "Small.h"
#include "chem/Evaluator.h"
#include "chem/MechanismFiles.h"
#include "chem/SpeciesList.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace heddle::chem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Mechanism threeSpecies() {
  Mechanism mechanism = small::mechanism({"H2", "O2", "H2O"});
  mechanism.name = "three";
  mechanism.reactions = {small::bothWays({{0, 1}, {1, 0.5}}, {{2, 1}}, 2, 3)};
  mechanism.reactions[0].equation = "H2+0.5O2=H2O";
  return mechanism;
}

struct Read {
  Diagnostics diagnostics;
  std::optional<std::vector<GivenState>> states;

  explicit Read(std::string text)
      : states(readStates({"states.json", std::move(text)}, threeSpecies(), diagnostics)) {}
  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const Diagnostic &each : diagnostics.all())
      all.push_back(each.text);
    return all;
  }
};

TEST(States, AreBroughtIntoTheMechanismsOrderOfSpecies) {
  Read read(
      R"({"species": ["H2O", "H2"], "states": [{"T": 1000, "P": 2e5, "X": [0.75, 0.25], "note": "x"}]})");
  ASSERT_TRUE(read.states);
  ASSERT_EQ(read.states->size(), 1u);
  EXPECT_EQ(read.states->front().temperature, 1000);
  EXPECT_EQ(read.states->front().pressure, 2e5);
  EXPECT_THAT(read.states->front().moleFractions, ElementsAre(0.25, 0, 0.75));
  EXPECT_THAT(read.states->front().diffusionTerm, ElementsAre(0, 0, 0));
}

TEST(States, AmountsAreDividedByTheirSum) {
  Read read(
      R"({"species": ["H2", "O2"], "states": [{"T": 1, "P": 1, "X": [3, 1], "diffusion_term": [5, -7]}]})");
  ASSERT_TRUE(read.states);
  EXPECT_THAT(read.states->front().moleFractions, ElementsAre(0.75, 0.25, 0));
  EXPECT_THAT(read.states->front().diffusionTerm, ElementsAre(5, -7, 0));
}

TEST(States, ReadBackToTheLastBit) {
  std::vector<GivenState> states(2);
  states[0] = {{1.0 / 3 * 1000, 101325.0 / 7, {0.1, 0.2, 0.7}}, {1e-300, -1.0 / 3, 0}};
  states[1] = {{2500, 6e6, {1.0 / 3, 1.0 / 3, 1.0 / 3}}, {0, 0, 0}};
  Read read(writeStates(threeSpecies(), states));
  ASSERT_TRUE(read.states);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*read.states)[i].temperature, states[i].temperature);
    EXPECT_EQ((*read.states)[i].pressure, states[i].pressure);
    EXPECT_EQ((*read.states)[i].moleFractions, states[i].moleFractions);
    EXPECT_EQ((*read.states)[i].diffusionTerm, states[i].diffusionTerm);
  }
}

TEST(States, TextThatIsNotJsonIsReportedWhereItGoesWrong) {
  Read read("{\"species\": [\"H2\"],\n \"states\": [,]}");
  EXPECT_FALSE(read.states);
  ASSERT_EQ(read.diagnostics.all().size(), 1u);
  EXPECT_EQ(read.diagnostics.all()[0].location.str(), "states.json:2:13");
  EXPECT_THAT(read.diagnostics.all()[0].text, HasSubstr("this is not JSON"));
}

TEST(States, AllThatIsWrongIsReportedInOneGo) {
  Read species(R"({"species": ["H20", "O2", "O2"], "states": []})");
  EXPECT_THAT(species.messages(),
              ElementsAre("the mechanism has no species 'H20'", "species 'O2' is listed twice"));
  EXPECT_EQ(species.diagnostics.all()[0].hint, "did you mean 'H2' or 'H2O'?");

  Read states(
      R"({"species": ["H2", "O2"], "states": [7, {"T": 0, "P": "x", "X": [1]}, {"T": 1, "P": 1, "X": [1, -1]},
                  {"T": 1, "P": 1, "X": [null, 1]}]})");
  EXPECT_FALSE(states.states);
  EXPECT_THAT(states.messages(),
              ElementsAre("states[0] is 7, not an object", "states[1]: \"T\" must be a number above zero",
                          "states[1]: \"P\" must be a number above zero",
                          "states[1]: \"X\" must be a list of 2 numbers, one for each of the file's species",
                          "states[2]: the mole fraction of O2 is negative, -1",
                          "states[3]: \"X\" of H2 is null, not a number"));
}

TEST(States, WhatIsMissingIsNamed) {
  const Read read(R"({"species": ["H2"], "states": [{"temperature": 1000, "P": 1, "X": [1]}]})");
  EXPECT_THAT(read.messages(), ElementsAre("states[0]: \"T\" is missing"));
  EXPECT_THAT(read.diagnostics.all()[0].hint, HasSubstr("{\"T\": 1000"));
}

TEST(States, AFileWithoutThemSaysWhatItShouldHold) {
  EXPECT_THAT(Read("[]").messages(), ElementsAre("there is no list \"species\""));
  EXPECT_THAT(Read(R"({"species": ["H2"]})").messages(), ElementsAre("there is no list \"states\""));
}

TEST(States, OutsideTheRangeOfTheDataAreWarnedOf) {
  Mechanism mechanism = threeSpecies(); // holds from 200 to 5000 K
  std::vector<GivenState> states(3);
  states[0].temperature = 200;
  states[1].temperature = 5000;
  states[2].temperature = 5001;
  Diagnostics diagnostics;
  warnOutsideRange({"states.json", ""}, mechanism, states, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].severity, Severity::Warning);
  EXPECT_EQ(diagnostics.all()[0].text,
            "states[2]: 5001 K is outside 200 to 5000 K, where the data of all species hold");
}

TEST(SpeciesList, NamesSpeciesOnePerLine) {
  Diagnostics diagnostics;
  Mechanism mechanism = threeSpecies();
  EXPECT_THAT(readSpeciesList({"qss.txt", "# comment\r\nH2O  # why\n\n H2 ! why\n"}, mechanism, diagnostics),
              ElementsAre(2, 0));
  EXPECT_TRUE(diagnostics.empty());
}

TEST(SpeciesList, ReportsWhatItCannotUse) {
  Diagnostics diagnostics;
  Mechanism mechanism = threeSpecies();
  readSpeciesList({"qss.txt", "H2\nHO2\nH2\n"}, mechanism, diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 2u);
  EXPECT_EQ(diagnostics.all()[0].text, "the mechanism has no species 'HO2'");
  EXPECT_EQ(diagnostics.all()[0].location.str(), "qss.txt:2:1");
  EXPECT_EQ(diagnostics.all()[1].text, "'H2' is listed twice");
  EXPECT_EQ(diagnostics.all()[1].notes[0].location.line, 1u);

  Diagnostics empty;
  readSpeciesList({"qss.txt", "# nothing\n"}, mechanism, empty);
  ASSERT_EQ(empty.all().size(), 1u);
  EXPECT_EQ(empty.all()[0].text, "the file lists no species");
}

TEST(Evaluation, WritesTheFieldsOfTheReferenceFiles) {
  Mechanism mechanism = threeSpecies();
  Diagnostics diagnostics;
  Evaluator evaluator(mechanism, {}, diagnostics);
  GivenState state = {{1000, 1e5, {0.25, 0.25, 0.5}}, {0, 0, 0}};
  Evaluation result = evaluator.at(state);
  Json json = Json::parse(writeEvaluations(mechanism, evaluator, {result}));
  EXPECT_EQ(json["species"], Json({"H2", "O2", "H2O"}));
  EXPECT_EQ(json["reactions"], Json::array({{"H2+0.5O2=H2O", "explicit"}}));
  const Json &first = json["states"][0];
  EXPECT_EQ(first["X"], Json(state.moleFractions));
  EXPECT_EQ(first["net_production_rates"], Json(result.production.net));
  EXPECT_EQ(first["fwd_rate_constants"], Json({2.0}));
  for (const char *field :
       {"density", "mean_molecular_weight", "cp_mass", "enthalpy_mole", "creation_rates", "destruction_rates",
        "rev_rate_constants", "fwd_rates_of_progress", "rev_rates_of_progress"})
    EXPECT_TRUE(first.contains(field)) << field;
  EXPECT_FALSE(first.contains("viscosity")) << "there are no transport data";
  EXPECT_FALSE(first.contains("concentrations"));
}

TEST(Evaluation, HasTheDiffusionOfGeneratedKernels) {
  Diagnostics diagnostics;
  const std::optional<Mechanism> mechanism = readMechanism({.paths = {test::hydrogenExample()}}, diagnostics);
  ASSERT_TRUE(mechanism);
  Evaluator evaluator(*mechanism, {}, diagnostics);
  GivenState state;
  state.temperature = 1200;
  state.pressure = 2e5;
  state.moleFractions.assign(mechanism->species.size(), 1.0 / double(mechanism->species.size()));
  state.diffusionTerm.assign(mechanism->species.size(), 0);
  const Evaluation result = evaluator.at(state);
  const ReciprocalDiffusionFits fits = fitReciprocalDiffusion(*mechanism);
  EXPECT_EQ(result.diffusionOfKernels, mixtureDiffusion(*mechanism, fits, state));
  EXPECT_NE(result.diffusionOfKernels, result.transport->diffusion);
  for (size_t k = 0; k < mechanism->species.size(); ++k)
    EXPECT_NEAR(result.diffusionOfKernels[k] / result.transport->diffusion[k], 1,
                fits.error + evaluator.transportFits(FitForm::Cantera)->errors.diffusion);
  Json json = Json::parse(writeEvaluations(*mechanism, evaluator, {result}));
  EXPECT_EQ(json["states"][0]["mix_diff_coeffs_reciprocal"], Json(result.diffusionOfKernels));
  EXPECT_EQ(json["fit_errors"]["reciprocal"]["binary_diffusion"], Json(fits.error));
  EXPECT_EQ(json["fit_errors"]["reciprocal"]["degree"], Json(fits.degree()));
}

TEST(Evaluation, TreatsQuasiSteadyAndStiffSpecies) {
  // H2 -> O2 (2), O2 -> H2O (50): with O2 quasi-steady nothing gathers of it; H2 is stiff over a long step.
  Mechanism mechanism = small::mechanism({"H2", "O2", "H2O"});
  mechanism.reactions = {small::oneWay({{0, 1}}, {{1, 1}}, 2), small::oneWay({{1, 1}}, {{2, 1}}, 50)};
  Diagnostics diagnostics;
  Evaluator evaluator(mechanism, {{1}, {{0}, 100}}, diagnostics);
  Evaluation result = evaluator.at({{1000, 1e5, {0.5, 0.25, 0.25}}, {0, 0, 0}});
  EXPECT_NEAR(result.state.moleFractions[0], 2.0 / 3, 1e-15);
  double c = result.concentrations[0];
  EXPECT_DOUBLE_EQ(result.concentrations[1], 2 * c / 50);
  double factor = stiffFactor(c, 0, 2 * c, 0, 100);
  EXPECT_DOUBLE_EQ(result.rates.forward[0], 2 * c * factor);
  EXPECT_DOUBLE_EQ(result.rates.forward[1], 2 * c);
  Json json = Json::parse(writeEvaluations(mechanism, evaluator, {result}));
  EXPECT_EQ(json["quasi_steady"], Json({"O2"}));
  EXPECT_EQ(json["states"][0]["concentrations"], Json(result.concentrations));
}

// ---- the example, against tests/chem/data/hydrogen_by_hand.py

class HydrogenByHand : public testing::TestWithParam<MechanismForm> {
protected:
  Diagnostics diagnostics;

  std::optional<SourceText> source(const std::filesystem::path &file) {
    return readSource(std::filesystem::path(HEDDLE_SOURCE_DIR) / file, diagnostics);
  }
};

/// Numbers computed with 40 digits; what the evaluator adds is rounding, which exponents of up to a few
/// hundred in equilibrium constants make some hundred times larger.
constexpr double byHandTolerance = 1e-12;

TEST_P(HydrogenByHand, AgreesInEveryNumber) {
  std::optional<Mechanism> mechanism = readMechanism(
      {.paths = {test::hydrogenExample()}, .form = GetParam(), .needsTransport = true}, diagnostics);
  std::optional<SourceText> states = source("examples/hydrogen/states.json"),
                            wanted = source("tests/chem/data/hydrogen_by_hand.json");
  ASSERT_TRUE(mechanism && states && wanted) << test::printed(diagnostics);
  std::optional<std::vector<GivenState>> given = readStates(*states, *mechanism, diagnostics);
  ASSERT_TRUE(given) << test::printed(diagnostics);
  Json results = Json::parse(wanted->text);
  ASSERT_EQ(given->size(), results["states"].size());

  std::vector<unsigned> order; // of the results' species in the mechanism
  for (const Json &name : results["species"])
    order.push_back(*mechanism->find(name));
  Evaluator evaluator(*mechanism, {}, diagnostics);
  auto near = [](double got, double value, double scale) {
    EXPECT_NEAR(got, value, byHandTolerance * std::abs(scale));
  };
  for (size_t i = 0; i < given->size(); ++i) {
    SCOPED_TRACE(i);
    Evaluation got = evaluator.at((*given)[i]);
    const Json &state = results["states"][i];
    near(got.density, state["density"], state["density"]);
    near(got.meanWeight, state["mean_molecular_weight"], state["mean_molecular_weight"]);
    near(got.heatCapacityByMass, state["cp_mass"], state["cp_mass"]);
    for (size_t k = 0; k < order.size(); ++k) {
      near(got.enthalpies[order[k]], state["enthalpy_mole"][k], state["enthalpy_mole"][k]);
      near(got.production.net[order[k]], state["net_production_rates"][k],
           got.production.creation[order[k]] + got.production.destruction[order[k]]);
    }
    for (size_t r = 0; r < mechanism->reactions.size(); ++r) {
      near(got.rates.forward[r], state["fwd_rates_of_progress"][r], state["fwd_rates_of_progress"][r]);
      near(got.rates.reverse[r], state["rev_rates_of_progress"][r], state["rev_rates_of_progress"][r]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, HydrogenByHand, testing::Values(MechanismForm::Chemkin, MechanismForm::Yaml),
                         [](const testing::TestParamInfo<MechanismForm> &info) {
                           return info.param == MechanismForm::Yaml ? "Yaml" : "Chemkin";
                         });

/// With HO2 and H2O2 quasi-steady and every other species damped, elements still balance.
TEST(HydrogenExample, ConservesElementsWithQuasiSteadyAndStiffSpecies) {
  Diagnostics diagnostics;
  std::optional<Mechanism> mechanism = readMechanism({.paths = {test::hydrogenExample()}}, diagnostics);
  ASSERT_TRUE(mechanism);
  Treatment treatment = {{*mechanism->find("HO2"), *mechanism->find("H2O2")}, {{}, 1e-4}};
  Evaluator quasiSteady(*mechanism, treatment, diagnostics);
  for (unsigned k = 0; k < mechanism->species.size(); ++k)
    treatment.stiffness.species.push_back(k);
  Evaluator both(*mechanism, treatment, diagnostics);
  GivenState state = {{1500, 1e5, std::vector<double>(10, 0.1)}, std::vector<double>(10)};
  Evaluation plain = quasiSteady.at(state), damped = both.at(state);
  EXPECT_NE(plain.production.net, damped.production.net);
  for (unsigned k : treatment.quasiSteady) {
    EXPECT_GT(plain.concentrations[k], 0);
    EXPECT_NEAR(plain.production.net[k], 0, 1e-14 * plain.production.creation[k]);
  }
  for (const Evaluation &each : {plain, damped}) {
    std::vector<double> net(mechanism->elements.size()), gross(mechanism->elements.size());
    for (size_t k = 0; k < mechanism->species.size(); ++k)
      for (const ElementCount &element : mechanism->species[k].composition) {
        net[element.element] += element.count * each.production.net[k];
        gross[element.element] += element.count * each.production.creation[k];
      }
    for (size_t e = 0; e < net.size(); ++e)
      EXPECT_LE(std::abs(net[e]), 1e-13 * gross[e]) << mechanism->elements[e].name;
  }
}

/// A file of results goes in as it is, and what comes out has all of its fields.
TEST(EvaluationReference, ReadsAReferenceFileAndWritesAllItsFields) {
  HEDDLE_LOAD_REFERENCE(reference, "h2o2");
  Diagnostics diagnostics;
  auto source = readSource(sharedFolder() / "reference" / "h2o2.json", diagnostics);
  ASSERT_TRUE(source);
  auto states = readStates(*source, reference.mechanism, diagnostics);
  ASSERT_TRUE(states);
  Evaluator evaluator(reference.mechanism, {}, diagnostics);
  std::vector<Evaluation> results;
  for (const GivenState &state : *states)
    results.push_back(evaluator.at(state));
  Json written = Json::parse(writeEvaluations(reference.mechanism, evaluator, results));
  ASSERT_EQ(written["states"].size(), reference.states().size());
  EXPECT_EQ(written["species"], reference.results["species"]);
  EXPECT_EQ(written["reactions"], reference.results["reactions"]);
  EXPECT_EQ(written["fit_range"], Json({300.0, 3500.0}));
  EXPECT_LT(written["fit_errors"]["mixture-averaged"]["viscosity"], 0.005);
  for (size_t i = 0; i < states->size(); ++i)
    for (const auto &[field, value] : reference.states()[i].items())
      if (field != "index" && field != "composition")
        EXPECT_EQ(written["states"][i][field].size(), value.size()) << field;
}

} // namespace
} // namespace heddle::chem
