// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chem/QssaProgram.h"

#include "Reference.h"
#include "Shared.h"
#include "Small.h"
#include "chem/Evaluator.h"
#include "chem/SpeciesList.h"
#include "flow/Evaluate.h"
#include "flow/Stages.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace heddle::chem {
namespace {

using small::bothWays;
using small::oneWay;

constexpr unsigned keepAll = 0, keepExpensive = 60, keepNone = 1000000;

/// A program, and the evaluator that it must agree with.
struct Qssa {
  const Mechanism &mechanism;
  Treatment treatment;
  Diagnostics diagnostics;
  Evaluator evaluator;
  flow::Program program;

  Qssa(const Mechanism &mechanism, Treatment given, unsigned keepFrom)
      : mechanism(mechanism), treatment(std::move(given)), evaluator(mechanism, treatment, diagnostics),
        program(qssaProgram(mechanism, {}, evaluator.quasiSteady(), treatment.stiffness.species, keepFrom)) {}

  std::vector<double> rates(const GivenState &state) const {
    std::vector<std::vector<double>> fields = {{state.temperature}, {state.pressure}, state.moleFractions};
    if (!treatment.stiffness.species.empty()) {
      fields.emplace_back();
      for (unsigned species : treatment.stiffness.species)
        fields.back().push_back(state.diffusionTerm[species]);
      fields.push_back({treatment.stiffness.timeStep});
    }
    return flow::evaluate(program, fields);
  }

  /// The largest distance to the evaluator's rates, as a part of the gross rates.
  double distance(const GivenState &given) const {
    const Evaluation expected = evaluator.at(given);
    GivenState state = given;
    state.moleFractions = expected.state.moleFractions;
    const std::vector<double> got = rates(state), gross = grossRates(mechanism, expected.rates);
    double largest = 0;
    for (size_t k = 0; k < got.size(); ++k) {
      const double off = std::abs(got[k] - expected.production.net[k]);
      largest = std::max(largest, gross[k] > 0 ? off / gross[k] : off);
      if (!std::isfinite(got[k]))
        return HUGE_VAL;
    }
    return largest;
  }
};

GivenState randomState(const Mechanism &mechanism, std::mt19937 &random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  GivenState state;
  state.temperature = 500 + 2300 * uniform(random);
  state.pressure = 1e4 * std::pow(600, uniform(random));
  double sum = 0;
  const bool even = random() % 2;
  for (size_t k = 0; k < mechanism.species.size(); ++k) {
    state.moleFractions.push_back(even ? 0.05 + uniform(random) : std::pow(10, -12 * uniform(random)));
    sum += state.moleFractions.back();
    state.diffusionTerm.push_back(uniform(random) - 0.3);
  }
  for (double &x : state.moleFractions)
    x /= sum;
  return state;
}

/// Elements and mass over all rows, quasi-steady species too: damping may leave some of them over.
void expectConservation(const Mechanism &mechanism, const std::vector<double> &net) {
  for (size_t e = 0; e <= mechanism.elements.size(); ++e) {
    double sum = 0, size = 0;
    for (size_t k = 0; k < net.size(); ++k) {
      double count = e == mechanism.elements.size() ? mechanism.species[k].weight : 0;
      for (const ElementCount &part : mechanism.species[k].composition)
        count += part.element == e ? part.count : 0;
      sum += count * net[k];
      size += count * std::abs(net[k]);
    }
    // What each row rounds off is a part of its gross rates, which are far larger than its net rate.
    EXPECT_LE(std::abs(sum), 1e-9 * size)
        << (e == mechanism.elements.size() ? "mass" : mechanism.elements[e].name);
  }
}

// ---- small ones

enum { A, B, Q, R, S };
Mechanism fiveSpecies() { return small::mechanism({"A", "B", "Q", "R", "S"}); }

GivenState smallState() {
  GivenState state;
  state.temperature = 1000;
  state.pressure = 1e5;
  state.moleFractions = {0.3, 0.5, 0, 0, 0.2};
  state.diffusionTerm = {0.1, 0.2, 0, 0, -0.1};
  return state;
}

TEST(QssaProgram, solvesACycleAtOnce) {
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{A, 1}}, {{Q, 1}}, 2), bothWays({{Q, 1}}, {{R, 1}}, 3, 5),
                         oneWay({{R, 1}}, {{B, 1}}, 7)};
  const Qssa qssa(mechanism, {{Q, R}, {}}, keepNone);
  ASSERT_EQ(qssa.evaluator.quasiSteady().groups.size(), 1u);
  EXPECT_LT(qssa.distance(smallState()), 1e-14);
  EXPECT_EQ(qssa.rates(smallState())[Q], 0) << "by definition, not by rounding";
}

TEST(QssaProgram, givesZeroToAQuasiSteadySpeciesThatNothingConsumes) {
  Mechanism mechanism = fiveSpecies();
  // Q has no way out at all, R one that needs a species that is not there.
  mechanism.reactions = {oneWay({{A, 1}}, {{Q, 1}}, 2), oneWay({{B, 1}}, {{R, 1}}, 3),
                         oneWay({{R, 1}, {S, 1}}, {{A, 1}}, 5), oneWay({{S, 1}}, {{B, 1}}, 7)};
  GivenState state = smallState();
  state.moleFractions = {0.4, 0.6, 0, 0, 0};
  const Qssa qssa(mechanism, {{Q, R}, {{S}, 1e-3}}, keepNone);
  const Evaluation expected = qssa.evaluator.at(state);
  EXPECT_EQ(expected.concentrations[Q], 0);
  EXPECT_EQ(expected.concentrations[R], 0);
  const std::vector<double> got = qssa.rates(state);
  for (size_t k = 0; k < got.size(); ++k)
    EXPECT_DOUBLE_EQ(got[k], expected.production.net[k]) << k;
}

TEST(QssaProgram, dampsASpeciesOnceHoweverManyAreConsumed) {
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{S, 2}}, {{A, 1}}, 4e6), oneWay({{S, 1}, {B, 1}}, {{A, 2}}, 5e5),
                         oneWay({{A, 1}}, {{S, 1}}, 3)};
  const Qssa qssa(mechanism, {{}, {{S, B}, 1e-2}}, keepNone);
  const GivenState state = smallState();
  const Evaluation expected = qssa.evaluator.at(state);
  const Evaluation undamped = Qssa(mechanism, {}, keepNone).evaluator.at(state);
  ASSERT_LT(expected.rates.forward[0], undamped.rates.forward[0] / 2) << "there must be something to damp";
  EXPECT_LT(qssa.distance(state), 1e-13);
}

TEST(QssaProgram, doesNotDampANegativeConcentration) {
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{S, 2}}, {{A, 1}}, 4e6), oneWay({{S, 1}, {B, 1}}, {{A, 2}}, 5e5),
                         oneWay({{A, 1}}, {{S, 1}}, 3)};
  GivenState state = smallState();
  state.moleFractions[S] = -1e-12;
  const auto withStep = [&](double step) {
    return Qssa(mechanism, {{}, {{S}, step}}, keepNone).rates(state);
  };
  EXPECT_EQ(withStep(1e-2), withStep(1e-30)) << "no lifetime is shorter than the second step";
}

TEST(QssaProgram, dampsRatesWithOrdersOfTheirOwnAndLeavesSpectatorsAlone) {
  Mechanism mechanism = fiveSpecies();
  mechanism.reactions = {oneWay({{S, 1}, {B, 1}}, {{A, 2}}, 5e5),
                         oneWay({{S, 1}, {A, 1}, {B, 1}}, {{Q, 1}, {S, 1}}, 4e5),
                         oneWay({{A, 1}}, {{S, 1}}, 3)};
  mechanism.reactions[0].forwardOrders = std::vector<Term>{{S, 0.5}, {A, 1}};
  ASSERT_EQ(spectator(mechanism.reactions[1]), unsigned(S));
  const Qssa qssa(mechanism, {{}, {{S, A, B}, 1e-2}}, keepNone);
  EXPECT_LT(qssa.distance(smallState()), 1e-13);
}

TEST(QssaProgram, hasThreeStages) {
  Diagnostics diagnostics;
  const std::optional<Mechanism> hydrogen =
      readMechanism({{test::hydrogenExample()}, {}, false}, diagnostics);
  ASSERT_TRUE(hydrogen);
  const Qssa qssa(*hydrogen, {{*hydrogen->find("HO2")}, {{*hydrogen->find("OH")}, 1e-7}}, keepNone);
  const std::vector<unsigned> stages = flow::stagesOf(qssa.program);
  EXPECT_EQ(*std::ranges::max_element(stages), 2u);
}

// ---- real ones

struct Lists {
  const char *mechanism, *quasiSteady;
};

class QssaReal : public testing::TestWithParam<Lists> {};

void holdToEvaluator(const Mechanism &mechanism, const Treatment &treatment) {
  const unsigned seed = 11;
  for (unsigned keepFrom : {keepAll, keepExpensive, keepNone}) {
    const Qssa qssa(mechanism, treatment, keepFrom);
    ASSERT_FALSE(qssa.diagnostics.has(Severity::Error));
    std::mt19937 random(seed);
    for (int i = 0; i < 12; ++i) {
      const GivenState state = randomState(mechanism, random);
      EXPECT_LT(qssa.distance(state), 1e-12)
          << state.temperature << " K, " << state.pressure << " Pa, keeping from " << keepFrom << ", seed "
          << seed << ", state " << i;
      GivenState carried = state;
      carried.moleFractions = qssa.evaluator.at(state).state.moleFractions;
      expectConservation(mechanism, qssa.rates(carried));
    }
  }
}

std::vector<unsigned> allOf(const Mechanism &mechanism, const std::vector<unsigned> &except = {}) {
  std::vector<unsigned> all;
  for (unsigned k = 0; k < mechanism.species.size(); ++k)
    if (std::ranges::find(except, k) == except.end())
      all.push_back(k);
  return all;
}

TEST_P(QssaReal, agreesWithTheEvaluatorAtRandomStates) {
  HEDDLE_LOAD_REFERENCE(reference, GetParam().mechanism);
  Diagnostics diagnostics;
  std::vector<unsigned> list;
  if (*GetParam().quasiSteady) {
    auto source = readSource(sharedFolder() / "mechanisms" / GetParam().mechanism / GetParam().quasiSteady,
                             diagnostics);
    ASSERT_TRUE(source);
    list = readSpeciesList(*source, reference.mechanism, diagnostics);
  }
  const Mechanism &mechanism = reference.mechanism;
  if (!list.empty())
    holdToEvaluator(mechanism, {list, {}});
  holdToEvaluator(mechanism, {{}, {allOf(mechanism), 1e-7}});
  holdToEvaluator(mechanism, {list, {allOf(mechanism, list), 1e-8}});
  holdToEvaluator(mechanism, {list, {allOf(mechanism), 1e-6}});
}

INSTANTIATE_TEST_SUITE_P(
    Lists, QssaReal,
    testing::Values(Lists{"LuDME", "qss_candidates.txt"}, Lists{"heptane_lu68", "qss_candidates.txt"},
                    Lists{"LuEthylene", "qss_species.txt"}, Lists{"dodecane_lu", "qss_species.txt"},
                    Lists{"heptane_lu_88sk", "qss_species.txt"}, Lists{"C1-C2-NO", "qss_species.txt"},
                    Lists{"gri30", ""}, Lists{"JL4", ""}, Lists{"h2o2", ""}),
    [](const testing::TestParamInfo<Lists> &info) {
      std::string name = info.param.mechanism;
      std::erase(name, '-');
      return name;
    });

} // namespace
} // namespace heddle::chem
