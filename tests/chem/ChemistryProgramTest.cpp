// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/ChemistryProgram.h"

#include "Reference.h"
#include "Shared.h"
#include "chem/Kinetics.h"
#include "chem/MechanismFiles.h"
#include "flow/Evaluate.h"

#include <cmath>

namespace heddle::chem {
namespace {

/// The largest distance between a program's rates and the evaluator's, as a part of the gross rates.
double distance(const Mechanism &mechanism, const flow::Program &program, const State &state) {
  const std::vector<double> c = concentrations(state);
  const RateConstants constants = rateConstants(mechanism, state.temperature, state.pressure, c);
  const RatesOfProgress rates = ratesOfProgress(mechanism, constants, c);
  const ProductionRates expected = productionRates(mechanism, rates);
  const std::vector<double> gross = grossRates(mechanism, rates);
  const std::vector<double> got =
      flow::evaluate(program, {{state.temperature}, {state.pressure}, state.moleFractions});
  double largest = 0;
  for (size_t k = 0; k < got.size(); ++k) {
    const double off = std::abs(got[k] - expected.net[k]);
    largest = std::max(largest, gross[k] > 0 ? off / gross[k] : off);
    if (!std::isfinite(got[k]))
      return HUGE_VAL;
  }
  return largest;
}

class ChemistryProgram : public testing::TestWithParam<std::string> {};

TEST_P(ChemistryProgram, agreesWithTheEvaluatorAtEveryReferenceState) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam());
  const flow::Program program = chemistryProgram(reference.mechanism, {});
  for (const Json &state : reference.states())
    EXPECT_LT(distance(reference.mechanism, program, reference.state(state)), 1e-12) << state["T"] << " K";
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, ChemistryProgram, testing::ValuesIn(referenceNames()), testNameOf);
INSTANTIATE_TEST_SUITE_P(Forms, ChemistryProgram, testing::ValuesIn(formNames()), testNameOf);

class ChemistryProgramElsewhere : public testing::TestWithParam<std::string> {};

State evenMixture(const Mechanism &mechanism, double temperature, double pressure) {
  const size_t count = mechanism.species.size();
  return {temperature, pressure, std::vector<double>(count, 1.0 / double(count))};
}

TEST_P(ChemistryProgramElsewhere, agreesWithTheEvaluatorFromColdToHot) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam());
  const flow::Program program = chemistryProgram(reference.mechanism, {});
  for (double temperature : {250.0, 300.0, 1000.0, 1500.0, 4000.0})
    for (double pressure : {1e3, 101325.0, 5e6})
      EXPECT_LT(
          distance(reference.mechanism, program, evenMixture(reference.mechanism, temperature, pressure)),
          temperature < 500 ? 1e-11 : 1e-12)
          << temperature << " K, " << pressure << " Pa";
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, ChemistryProgramElsewhere, testing::ValuesIn(otherNames()), testNameOf);
INSTANTIATE_TEST_SUITE_P(MechanismsWithResults, ChemistryProgramElsewhere,
                         testing::ValuesIn(referenceNames()), testNameOf);

/// Hydrogen's mechanism with 1e5 K per atom of oxygen added to enthalpies. Reactions that conserve elements keep their rates, but
/// exp(g/RT) of a species overflows at low temperatures.
Mechanism withLargeEnergies() {
  Diagnostics diagnostics;
  Mechanism m = readMechanism({{test::hydrogenExample()}, {}, false}, diagnostics).value_or(Mechanism());
  for (Species &species : m.species)
    for (const ElementCount &part : species.composition)
      for (Nasa7Range &range : std::get<std::vector<Nasa7Range>>(species.thermo))
        range.a[5] += m.elements[part.element].name == "O" ? 1e5 * part.count : 0;
  return m;
}

void expectFromColdToHot(const Mechanism &m) {
  const flow::Program program = chemistryProgram(m, {});
  for (double temperature : {150.0, 300.0, 1000.0, 2500.0})
    EXPECT_LT(distance(m, program, evenMixture(m, temperature, 101325)), 1e-9) << temperature << " K";
}

TEST(ChemistryProgramRounded, aReactionWithRoundedCoefficientsLeavesTheOthersInRange) {
  Mechanism m = withLargeEnergies();
  expectFromColdToHot(m);
  Reaction rounded;
  rounded.equation = "H2O2 <=> H2O + 0.50001 O2";
  rounded.reactants = {{*m.find("H2O2"), 1}};
  rounded.products = {{*m.find("H2O"), 1}, {*m.find("O2"), 0.50001}};
  rounded.rate = Arrhenius{1e10, 0, 20000};
  m.reactions.push_back(rounded);
  expectFromColdToHot(m);
}

TEST(ChemistryProgramRounded, aSpeciesWithRoundedAtomsIsRight) {
  Mechanism m = withLargeEnergies();
  for (ElementCount &part : m.species[*m.find("HO2")].composition)
    part.count *= 1.00001;
  expectFromColdToHot(m);
}

TEST(ChemistryProgramUnits, scalePressureAndRates) {
  Diagnostics diagnostics;
  const std::optional<Mechanism> hydrogen =
      readMechanism({{test::hydrogenExample()}, {}, false}, diagnostics);
  ASSERT_TRUE(hydrogen);
  const State state = evenMixture(*hydrogen, 1400, 2e5);
  const std::vector<double> si =
      flow::evaluate(chemistryProgram(*hydrogen, {}), {{1400}, {2e5}, state.moleFractions});
  const std::vector<double> cgs =
      flow::evaluate(chemistryProgram(*hydrogen, {0.1, 1e-3}), {{1400}, {2e6}, state.moleFractions});
  for (size_t k = 0; k < si.size(); ++k)
    EXPECT_NEAR(cgs[k], si[k] * 1e-3, std::abs(si[k]) * 1e-12);
  EXPECT_LT(distance(*hydrogen, chemistryProgram(*hydrogen, {}), state), 1e-13);
}

} // namespace
} // namespace heddle::chem
